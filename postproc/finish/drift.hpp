// How fast time may be stretched by the correction, as the clocks themselves drift.
#pragma once

#include "postproc/replay/wire.hpp"
#include "trace/shift_map.hpp"

#include <vector>

namespace tactus {

// Returns five times the drift of the worst clock of all processes, as 1 - gamma of ECLC: between 1e-5 and 1e-3.
// `clocks` are those of the ranks that this process plays. Collective.
double decay_by_drift(const std::vector<ProcessClock>& clocks, ReplayWire& wire);

} // namespace tactus
