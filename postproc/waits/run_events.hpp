// The events of all ranks of a finished trace, brought together for one process to play. One thread.
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

// Nothing where there is no room for them: beyond 64 MiB they lie in the trace's folder, some 100 bytes a call.
// `trace` outlives them. `clock`: of the lanes of its ranks, by index; none: those of the trace.
using ClockOfThread = std::function<const ProcessClock&(std::size_t rank, std::size_t lane)>;
std::optional<RunEvents> events_of_run(const Trace& trace, const ClockOfThread& clock = {});

} // namespace tactus
