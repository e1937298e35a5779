#include "postproc/finish/in_threads.hpp"

#include "postproc/replay/thread_wire.hpp"

#include <algorithm>
#include <iterator>
#include <thread>

namespace tactus {
namespace {

// Every part has its own ranks, in the order of the threads, and the same quality.
void add(Finished& all, Finished&& part) {
    const auto append = [](auto& list, auto& more) {
        list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    append(all.ranks, part.ranks);
    append(all.clocks, part.clocks);
    append(all.waits, part.waits);
    append(all.links, part.links);
    append(all.compensated, part.compensated);
    for (Error& error : part.unreadable) keep_error(all.unreadable, std::move(error));
}

} // namespace

Finished finish_in_threads(const Trace& trace, std::uint32_t threads, const FinishOptions& options,
                           const TellProgress& tell) {
    ThreadHub hub{threads, trace.world_size()};
    std::vector<Finished> parts(threads);
    std::vector<std::thread> others;
    const auto work = [&](std::uint32_t number, const TellProgress& say) {
        ThreadWire wire{hub, number};
        parts[number] = finish(trace, wire, options, say);
    };
    for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back(work, i, [](const char*) {});
    work(0, tell);
    for (std::thread& thread : others) thread.join();
    for (std::uint32_t i = 1; i < threads; ++i) add(parts[0], std::move(parts[i]));
    return std::move(parts[0]);
}

} // namespace tactus
