// What finishing a trace changes in a rank's clock. Pure.
#pragma once

#include "postproc/replay/rank_events.hpp"
#include "trace/definitions.hpp"
#include "trace/shift_map.hpp"

namespace tactus {

// What ECLC added to the rank's clock: its events have their new stamps.
ShiftMap correction_of(const RankEvents& rank, const ProcessClock& before);

// Whether the refinement is possible: it may not change the rate of the clock by more than half.
bool goes_on(const ProcessClock& clock);

// Adds to the figures how far the events were moved, and how many times between two of them changed by over 1 %.
void measure_change(const RankEvents& rank, const ProcessClock& before, ClockQuality& quality);

} // namespace tactus
