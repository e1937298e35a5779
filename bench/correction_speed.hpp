// What it costs to read and to replay a made trace: one process, one core.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

// On one clock, as measured. Prints a line a number.
void print_speed(const Trace& trace);

} // namespace tactus
