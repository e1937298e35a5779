// A trace in Perfetto's format (ui.perfetto.dev): a process a rank, a track a thread, calls and regions as slices,
// counters as counter tracks, messages as flows. One thread. Memory: a rank's threads, and its messages (flows.hpp).
#pragma once

#include "base/result.hpp"
#include "postproc/export/exported.hpp"
#include "postproc/export/steps.hpp"

#include <string>

namespace tactus {

Result<Exported> export_perfetto(const Trace& trace, const StepClock& clock, const std::string& path);

} // namespace tactus
