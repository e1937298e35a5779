// Clocks that VT_TEST_CLOCK made wrong, translated to the truth and back, so that tests know both. Pure.
#pragma once

#include "trace/definitions.hpp"

namespace tactus {

// The true tick at which a clock made wrong showed `tick`.
Ticks true_tick(const TestClock& wrong, Ticks tick);
// What it showed then.
Ticks shown_tick(const TestClock& wrong, Ticks truth);

} // namespace tactus
