#include "postproc/waits/run_events.hpp"

#include "postproc/parallel/share_work.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/replay/wire.hpp"

#include <atomic>

namespace tactus {
namespace {

std::optional<RunEvents> read(const Trace& trace, const ClockOfThread& clock, const PagingTo& paging) {
    RunEvents run;
    std::atomic<bool> room = true; // false: some rank has none. Pairs with nothing: the threads are joined
    run.ranks.resize(trace.ranks.size());
    run.calls.resize(trace.ranks.size());
    share_work(run.ranks.size(), 0, [&](std::size_t i) {
        if (!room.load(std::memory_order_relaxed)) return;
        run.ranks[i] = events_of(trace.ranks[i], {.paging = paging});
        if (run.ranks[i].too_many) room.store(false, std::memory_order_relaxed);
    });
    if (!room) return {};
    LonelyWire wire;
    run.matched = match_events(run.ranks, wire);
    share_work(run.ranks.size(), 0, [&](std::size_t i) {
        if (!room.load(std::memory_order_relaxed)) return;
        if (!keep_posts(run.ranks[i], paging, run.calls[i])) return room.store(false, std::memory_order_relaxed);
        run.calls[i].with_locks = true;
        const ClockOfLane clock_of_lane = [&](std::size_t lane) -> const ProcessClock& {
            return clock ? clock(i, lane) : trace.ranks[i].clock();
        };
        stamp(run.ranks[i], clock_of_lane(0));
        find_calls(run.ranks[i], trace.ranks[i], clock_of_lane, run.calls[i]);
    });
    if (!room) return {};
    return run;
}

} // namespace

std::optional<RunEvents> events_of_run(const Trace& trace, const ClockOfThread& clock) {
    constexpr std::size_t in_memory = std::size_t{64} << 20;
    if (trace.ranks.empty()) return {};
    std::optional<RunEvents> run =
        read(trace, clock, paging_of_ranks(trace.path.c_str(), in_memory, trace.ranks.size()));
    if (!run) run = read(trace, clock, {}); // the trace's folder may not be writable
    return run;
}

} // namespace tactus
