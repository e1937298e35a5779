// Exports a trace as an OTF2 archive: OUT/traces.otf2 and the files that belong to it. Ranks are exported one after the
// other, so memory does not grow with the trace. One thread.
#pragma once

#include "base/result.hpp"
#include "postproc/export/exported.hpp"
#include "postproc/export/steps.hpp"

#include <string>

namespace tactus {

// A tick of the archive is a unit of global time.
constexpr std::uint64_t otf2_ticks_a_second = 8'000'000'000;

// `folder` must not exist yet.
Result<Exported> export_otf2(const Trace& trace, const StepClock& clock, const std::string& folder);

} // namespace tactus
