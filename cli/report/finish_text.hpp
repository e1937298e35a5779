// How good the clock of a trace is, in words.
#pragma once

#include "trace/rank_file.hpp"

#include <string>

namespace tactus {

// What `tactus finish` says when it is done.
std::string finish_text(const std::string& trace, const ClockQuality& quality, bool changed);

// The same for the report: lines without a heading.
std::string quality_text(const ClockQuality& quality);

// In a line: how well the ranks' clocks are known to each other, and what they put in disorder.
std::string clock_text(const Trace& trace);

// What the trace says of itself; nullptr: it was not finished.
const ClockQuality* clock_quality(const Trace& trace);
// Of the times between two events of a rank, how many changed by more than 1 %.
double changed_share(const ClockQuality& quality);

} // namespace tactus
