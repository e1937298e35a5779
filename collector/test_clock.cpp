// VT_TEST_CLOCK: makes the clocks of this process wrong on purpose, for tests.
#include "base/options/clock_error.hpp"

#include "base/options/launched_by.hpp"
#include "collector/session.hpp"

namespace tactus {
namespace {

ClockError* error = nullptr; // never freed
TestClock wrong;

double error_at(Ticks tick) {
    return error->ns(static_cast<double>(static_cast<std::int64_t>(tick - wrong.origin)) * wrong.ns_per_tick);
}

// Nanoseconds per tick, measured over a millisecond. The error of the clocks is only as exact as this rate.
double rate_of_timer() {
    if (!is_counter(chosen_timer())) return 1;
    const Anchor begin = read_anchor();
    Anchor end = begin;
    while (end.monotonic_ns - begin.monotonic_ns < 1'000'000) end = read_anchor();
    return ns_per_tick(chosen_timer(), begin, end);
}

} // namespace

// MPI is not initialized yet, so the rank comes from the launcher.
TestClock use_test_clock(const std::string& option) {
    auto chosen = clock_error_of(option, rank_by_launcher().value_or(0));
    if (!chosen || chosen->empty()) return {};
    error = new ClockError{std::move(*chosen)};
    wrong = {.function = error->text(), .origin = 0, .ns_per_tick = rate_of_timer()};
    wrong.origin = now();
    make_clocks_wrong(error_at, wrong.ns_per_tick);
    return wrong;
}

const std::string& test_host() {
    static const std::string none;
    return error != nullptr ? error->host() : none;
}

} // namespace tactus
