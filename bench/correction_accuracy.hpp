// How far the stamps of a made trace are from the truth, corrected one way and another.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

// On one clock, as measured.
void print_accuracy(const Trace& trace);

} // namespace tactus
