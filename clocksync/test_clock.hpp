// Translates ticks of clocks that VT_TEST_CLOCK made wrong to true ticks and back, so that tests know both. Pure.
#pragma once

#include "trace/definitions.hpp"

namespace tactus {

// Gives the true tick at which a wrong clock showed `tick`.
Ticks true_tick(const TestClock& wrong, Ticks tick);
// Gives the tick that a wrong clock showed at the true tick `truth`.
Ticks shown_tick(const TestClock& wrong, Ticks truth);

} // namespace tactus
