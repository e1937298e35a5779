#include "cli/bring_in_order.hpp"

#include "base/options/options.hpp"
#include "cli/commands.hpp"
#include "cli/messages.hpp"
#include "cli/report/finish_text.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "postproc/recover/recover.hpp"

#include <algorithm>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

bool all_closed(const Trace& trace) {
    return std::all_of(trace.ranks.begin(), trace.ranks.end(), [](const RankFile& file) { return file.closed(); });
}

bool came_to_finalize(const RankFile& file) {
    const std::vector<Totals>& totals = file.definitions().totals;
    return file.closed() && !totals.empty() && totals.front().ending == Ending::finalize;
}

bool any_alive(const Trace& trace) {
    return std::any_of(trace.ranks.begin(), trace.ranks.end(), [](const RankFile& file) {
        return !file.closed() && liveness_of(file.header()) == Liveness::alive;
    });
}

// A launcher may return before the last of its processes is gone.
void wait_for_the_dying(const Trace& trace) {
    constexpr int rounds = 40;
    const timespec pause{0, 50'000'000};
    for (int round = 0; round < rounds && any_alive(trace); ++round) nanosleep(&pause, nullptr);
}

} // namespace

void bring_in_order(const std::string& path) {
    const auto trace = Trace::open(path);
    if (!trace || clock_quality(*trace) != nullptr || !Options::read(environ).on(Option::postproc)) return;
    if (std::all_of(trace->ranks.begin(), trace->ranks.end(), came_to_finalize)) return; // there was no time for more
    if (!all_closed(*trace)) {
        wait_for_the_dying(*trace);
        const auto recovery = recover_trace(path, {});
        if (!recovery) {
            fail(recovery.error());
            return;
        }
        if (!recovery->whole) return; // the screen tells what is missing
    }
    constexpr std::uint64_t large = std::uint64_t{1} << 30; // takes more than a minute or so
    if (volume_of(*trace).bytes > large) return;
    finish({.trace = path, .mpi = "none", .quiet = true});
}

} // namespace tactus
