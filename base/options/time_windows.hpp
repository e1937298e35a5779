// VT_TIME_WINDOWS: when, counted from the start of the trace, something is recorded at all. Read at the start of the
// run; `at` allocates nothing and may be asked by any thread.
#pragma once

#include "base/options/options.hpp"
#include "base/options/rules.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace tactus {

class TimeWindows {
  public:
    static TimeWindows read(const Options& options);

    struct Recording {
        bool on = true;
        std::int64_t until = never; // nanoseconds since the start; holds for all times before it
    };
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    // Always on when there are no windows, else on inside of them: from begin up to, but without, end.
    [[nodiscard]] Recording at(std::int64_t nanoseconds_since_start) const;

  private:
    std::vector<TimeWindow> windows_;
};

} // namespace tactus
