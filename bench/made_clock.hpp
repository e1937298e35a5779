// The clocks of a made run. How each host's is wrong stands in its ranks' headers as VT_TEST_CLOCK would say it
// (base/options/clock_error.hpp), so that whoever reads the trace knows the truth. One tick is a nanosecond.
#pragma once

#include "base/options/clock_error.hpp"
#include "clocksync/test_clock.hpp"

#include <optional>
#include <random>
#include <string_view>

namespace tactus {

enum class ClockProfile : std::uint8_t {
    right,
    constant, // up to 1 ms ahead or behind, and up to 20 ppm too quick or slow; so are the following
    thermal,  // 20 us to and fro in 40 to 90 s
    slew,     // another rate every 5 to 15 s, within 5 ppm
    step,     // one jump of 50 us
};
std::optional<ClockProfile> clock_profile(std::string_view name);

constexpr Ticks made_run_start = 1'000'000'000'000; // by the true clock

class MadeClock {
  public:
    explicit MadeClock(TestClock wrong);
    [[nodiscard]] const TestClock& wrong() const { return wrong_; }
    [[nodiscard]] Ticks shown(double true_ns) const; // since made_run_start
    [[nodiscard]] double true_ns(Ticks shown) const;

  private:
    [[nodiscard]] double ahead_ns(double true_ns) const;

    TestClock wrong_;
    ClockError error_;
    double origin_ns_; // of the error's function
};

// The same for the same numbers. Host 0, whose clock is that of the trace, is right.
MadeClock made_clock(ClockProfile profile, std::uint64_t seed, std::uint32_t host, double seconds);

// A hundred messages there and back between two hosts from this moment on; `rank`'s clock is compared with `master`'s.
SyncRound made_round(const MadeClock& clock, const MadeClock& master, double true_ns, std::mt19937_64& random);

double uniform(std::mt19937_64& random);                  // 0 to 1
double exponential(std::mt19937_64& random, double mean); // 0 or more

} // namespace tactus
