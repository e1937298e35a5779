// Text that tells how good the clock of a trace is.
#pragma once

#include "trace/rank_file.hpp"

#include <string>

namespace tactus {

// Returns what `tactus finish` prints when it is done. `changed`: the trace was not finished before.
std::string finish_text(const std::string& trace, const ClockQuality& quality, bool changed);

// Returns the same lines for the report, without a heading.
std::string quality_text(const ClockQuality& quality);

// Returns one line: how well the ranks' clocks are known relative to each other, and how many messages they put in
// disorder.
std::string clock_text(const Trace& trace);

// Returns what the trace stores about its clock, or nullptr if it was not finished.
const ClockQuality* clock_quality(const Trace& trace);
// Returns the share of the times between two events of a rank that changed by more than 1 %.
double changed_share(const ClockQuality& quality);

} // namespace tactus
