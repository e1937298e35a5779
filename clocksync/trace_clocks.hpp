// The clocks of a whole trace, fitted again from what was measured. Offline; one thread.
#pragma once

#include "clocksync/fit.hpp"
#include "trace/rank_file.hpp"

#include <optional>
#include <vector>

namespace tactus {

ClockFacts clock_facts(const RankFile& file);

// One a rank, in the order of the trace. Fit::raw gives every rank its host's date.
std::vector<FittedClock> fit_clocks(const Trace& trace, Fit fit);

// Sets every rank's clock by `wanted`; without a wish as the trace says, and when it does not say it for every rank (it
// was not closed in order) by hard bounds from what was measured.
void put_on_one_clock(Trace& trace, std::optional<Fit> wanted);

} // namespace tactus
