// The events of all ranks of a finished trace, brought together so that one process can replay them. The ranks are read
// in as many threads as there are cores.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "postproc/waits/call_facts.hpp"
#include "trace/rank_file.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tactus {

struct RunEvents {
    std::vector<RankEvents> ranks;
    MatchedEvents matched;
    std::vector<RankCalls> calls; // of each rank
};

// Returns nothing if there is no room for the events, which need some 100 bytes a call; what exceeds 64 MiB is kept in
// the trace's folder. `trace` must outlive the result. `clock` gives the clock of a lane, by index of rank and lane;
// without it, the trace's own clocks apply. It may be called by several threads, for different ranks.
using ClockOfThread = std::function<const ProcessClock&(std::size_t rank, std::size_t lane)>;
std::optional<RunEvents> events_of_run(const Trace& trace, const ClockOfThread& clock = {});

} // namespace tactus
