// Refines clocks with the messages of the run. The result is a map for each rank, which is added to its fitted clock.
// Collective over the wire; the result is the same with any number of processes.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "trace/rank_file.hpp"
#include "trace/shift_map.hpp"

#include <vector>

namespace tactus {

// Gives for each rank of the run the rank that leads those that share its clock. Collective. `places` belong to
// `ranks`, and `all_ranks` is the number of ranks in the run.
std::vector<std::int64_t> clock_leaders(const std::vector<RankEvents>& ranks, const std::vector<ClockPlace>& places,
                                        ReplayWire& wire, std::uint32_t all_ranks);

// Gives what each fitted clock lacks, in the order of `ranks`, which are those of this process. An empty map adds
// nothing. `clocks` and `places` belong to `ranks`, and `leaders` comes from clock_leaders(). Events have the stamps of
// their fitted clocks.
std::vector<ShiftMap> refine(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                             const std::vector<const ProcessClock*>& clocks, const std::vector<ClockPlace>& places,
                             const std::vector<std::int64_t>& leaders);

} // namespace tactus
