// Exports a trace in Perfetto's format (ui.perfetto.dev): a rank is a process, a thread is a track, calls and regions
// are slices, counters are counter tracks, and messages are flows. One thread. Memory: that of a rank's threads, and of
// its messages (flows.hpp).
#pragma once

#include "base/result.hpp"
#include "postproc/export/exported.hpp"
#include "postproc/export/steps.hpp"

#include <string>

namespace tactus {
// `path` is a file that does not exist yet, or "-" for standard output.

Result<Exported> export_perfetto(const Trace& trace, const StepClock& clock, const std::string& path);

} // namespace tactus
