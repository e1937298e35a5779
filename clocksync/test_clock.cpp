#include "clocksync/test_clock.hpp"

#include "base/options/clock_error.hpp"

#include <cmath>

namespace tactus {
namespace {
Ticks ahead(const TestClock& wrong, const ClockError& error, Ticks truth) {
    const double ns = static_cast<double>(static_cast<std::int64_t>(truth - wrong.origin)) * wrong.ns_per_tick;
    return static_cast<Ticks>(std::llround(error.ns(ns) / wrong.ns_per_tick));
}
} // namespace

Ticks true_tick(const TestClock& wrong, Ticks tick) {
    const auto error = ClockError::parse(wrong.function);
    if (!error || error->empty()) return tick;
    Ticks guess = tick;
    for (int i = 0; i < 20; ++i) guess = tick - ahead(wrong, *error, guess); // converges, since D is nearly flat
    return guess;
}

Ticks shown_tick(const TestClock& wrong, Ticks truth) {
    const auto error = ClockError::parse(wrong.function);
    return !error || error->empty() ? truth : truth + ahead(wrong, *error, truth);
}

} // namespace tactus
