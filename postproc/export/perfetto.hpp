// Exports a trace in Perfetto's format (ui.perfetto.dev): a rank is a process, a thread is a track, calls and regions
// are slices, counters and what the operating system counted are counter tracks, samples are samples, and messages are
// flows. One thread. Memory: that of a rank's threads, its paths of functions, and its messages (flows.hpp).
#pragma once

#include "base/result.hpp"
#include "postproc/export/exported.hpp"
#include "postproc/export/place_names.hpp"
#include "postproc/export/steps.hpp"

#include <string>

namespace tactus {
// `path` is a file that does not exist yet, or "-" for standard output.

Result<Exported> export_perfetto(const Trace& trace, const StepClock& clock, const std::string& path,
                                 const PlaceNames& names);

} // namespace tactus
