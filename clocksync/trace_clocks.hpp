// Fits the clocks of a whole trace again from the measurements that it stores. Offline; one thread.
#pragma once

#include "clocksync/fit.hpp"
#include "trace/rank_file.hpp"

#include <optional>
#include <vector>

namespace tactus {

// Gathers what a rank file says of the rank's clock.
ClockFacts clock_facts(const RankFile& file);

// Gives one clock for each rank, in the order of the trace. Fit::raw gives every rank its host's date.
std::vector<FittedClock> fit_clocks(const Trace& trace, Fit fit);

// Sets every rank's clock by `wanted`. Without `wanted` the clocks stay as the trace stores them; if it does not store
// one for every rank (it was not closed in order), they are fitted by hard bounds from the measurements.
void put_on_one_clock(Trace& trace, std::optional<Fit> wanted);

} // namespace tactus
