// Measures the cost of reading and replaying a made trace in one process on one core.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

// The trace must be on one clock, as measured. Prints a line for each figure.
void print_speed(const Trace& trace);

} // namespace tactus
