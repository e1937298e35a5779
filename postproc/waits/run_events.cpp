#include "postproc/waits/run_events.hpp"

#include "postproc/replay/reversed.hpp"
#include "postproc/replay/wire.hpp"

namespace tactus {

namespace {

std::optional<RunEvents> read(const Trace& trace, const ClockOfThread& clock, const PagingTo& paging) {
    RunEvents run;
    for (const RankFile& file : trace.ranks) {
        run.ranks.push_back(events_of(file, {.paging = paging}));
        if (run.ranks.back().too_many) return {};
    }
    LonelyWire wire;
    run.matched = match_events(run.ranks, wire);
    run.calls.resize(run.ranks.size());
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!keep_posts(run.ranks[i], paging, run.calls[i])) return {};
        run.calls[i].with_locks = true;
        const ClockOfLane clock_of_lane = [&](std::size_t lane) -> const ProcessClock& {
            return clock ? clock(i, lane) : trace.ranks[i].clock();
        };
        stamp(run.ranks[i], clock_of_lane(0));
        find_calls(run.ranks[i], trace.ranks[i], clock_of_lane, run.calls[i]);
    }
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
