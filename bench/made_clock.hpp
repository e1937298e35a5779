// The clocks of a made run. The error of each host's clock is in its ranks' headers, written as in VT_TEST_CLOCK
// (base/options/clock_error.hpp), so that a reader of the trace knows the true times. One tick is a nanosecond.
#pragma once

#include "base/options/clock_error.hpp"
#include "clocksync/test_clock.hpp"

#include <optional>
#include <random>
#include <string_view>

namespace tactus {

enum class ClockProfile : std::uint8_t {
    right,
    constant, // up to 1 ms ahead or behind, and up to 20 ppm too fast or slow; so are the following
    thermal,  // in addition a sine of 20 us with a period of 40 to 90 s
    slew,     // in addition another rate every 5 to 15 s, within 5 ppm
    step,     // in addition one jump of 50 us
};
std::optional<ClockProfile> clock_profile(std::string_view name);

constexpr Ticks made_run_start = 1'000'000'000'000; // by the true clock

class MadeClock {
  public:
    explicit MadeClock(TestClock wrong);
    [[nodiscard]] const TestClock& wrong() const { return wrong_; }
    [[nodiscard]] Ticks shown(double true_ns) const; // what the clock shows at this true time since made_run_start
    [[nodiscard]] double true_ns(Ticks shown) const; // the inverse

  private:
    [[nodiscard]] double ahead_ns(double true_ns) const;

    TestClock wrong_;
    ClockError error_;
    double origin_ns_; // true time of the origin of the error function
};

// The same arguments always give the same clock. The clock of host 0 is right, and it is the clock of the trace.
MadeClock made_clock(ClockProfile profile, std::uint64_t seed, std::uint32_t host, double seconds);

// Simulates a round of a hundred messages there and back, which begins at `true_ns` and compares `clock` with `master`.
SyncRound made_round(const MadeClock& clock, const MadeClock& master, double true_ns, std::mt19937_64& random);

double uniform(std::mt19937_64& random);                  // 0 to 1
double exponential(std::mt19937_64& random, double mean); // 0 or more

} // namespace tactus
