// Measures the errors of the times in a made trace, by several ways of correction.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

// The trace must be on one clock, as measured.
void print_accuracy(const Trace& trace);

} // namespace tactus
