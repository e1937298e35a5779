// Clocks made better by the run's own messages: a map beside each rank's, to be added. Collective over the wire; the
// same with any number of processes.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "trace/rank_file.hpp"
#include "trace/shift_map.hpp"

#include <vector>

namespace tactus {

// By rank, who leads those who share its clock. Collective.
std::vector<std::int64_t> clock_leaders(const std::vector<RankEvents>& ranks, const std::vector<ClockPlace>& places,
                                        ReplayWire& wire, std::uint32_t all_ranks);

// One a rank of this process, in the order of `ranks`: what its fitted clock lacks. `places`: whose clock theirs is;
// `leaders`: as above.
std::vector<ShiftMap> refine(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                             const std::vector<const ProcessClock*>& clocks, const std::vector<ClockPlace>& places,
                             const std::vector<std::int64_t>& leaders);

} // namespace tactus
