// VT_TEST_CLOCK: clocks that are wrong in a known way, so that tests know the truth. Pure.
//
//   RANKS:key=value,...;RANKS:...     RANKS: 2 or 1-3 or * for all; the last part that names a rank holds for it
//   offset=1ms  ppm=20  sine=20us/40s  slew=5ppm@3s  step=50us@4s  host=b
//
// The clocks of a rank are ahead of the truth, t nanoseconds after it began, by
//   D(t) = offset + ppm x t / 10^6 + A sin(2 pi t / period) + sum of slews x max(0, t - t_i)
//          + sum of steps with t_i <= t
// Slews and steps may be given several times. Times are in ITAC's grammar and may have a sign.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

class ClockError {
  public:
    static Result<ClockError> parse(std::string_view text); // "offset=1ms,ppm=20"; empty: none

    [[nodiscard]] double ns(double t_ns) const; // D
    [[nodiscard]] const std::string& host() const { return host_; }
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    struct Change {
        double amount; // of a step in ns, of a slew in ns per ns
        double from_ns;
    };
    Outcome take(std::string_view key, std::string_view value);

    std::string text_;
    std::string host_;
    double offset_ns_ = 0;
    double rate_ = 0; // ns per ns
    double amplitude_ns_ = 0;
    double period_ns_ = 0;
    std::vector<Change> slews_;
    std::vector<Change> steps_;
};

// Gives the clock error of a rank from the value of the option. The parts for other ranks are checked, too.
Result<ClockError> clock_error_of(std::string_view option, std::uint32_t rank);

} // namespace tactus
