// What users can choose about the measurement of clocks. Named here because the option table names them, too.
#pragma once

#include <array>
#include <cstdint>

namespace tactus {

// How measured rounds become a time map: by hard bounds, or as Intel's collector did it. `raw` takes the dates of the
// hosts instead of measurements.
enum class Fit : std::uint8_t { interval, itac, raw };
inline constexpr auto fit_names = std::to_array<const char*>({"interval", "itac", "raw"});

// Who measures whom: every rank against rank 0, or along a binomial tree. clocksync/exchange.hpp draws both.
enum class Topology : std::uint8_t { automatic, star, tree };

} // namespace tactus
