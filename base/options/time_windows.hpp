// VT_TIME_WINDOWS: at which times since the start of the trace anything is recorded at all. Read at the start of the
// run; any thread may call `at`, which allocates nothing.
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
        std::int64_t until = never; // nanoseconds since the start; `on` holds for all times before it
    };
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    // Recording is always on when there are no windows. Otherwise it is on inside of them: from begin up to, but
    // without, end.
    [[nodiscard]] Recording at(std::int64_t nanoseconds_since_start) const;

  private:
    std::vector<TimeWindow> windows_;
};

} // namespace tactus
