// The timers that can be chosen. A trace holds their numbers.
#pragma once

#include <array>
#include <cstdint>

namespace tactus {

// Each processor has one counter: tsc is that of x86-64, cntvct that of 64-bit ARM.
enum class Timer : std::uint8_t { tsc, monotonic, monotonic_raw, gettimeofday, mpi_wtime, cntvct };
inline constexpr auto timer_names = std::to_array<const char*>(
    {"TSC", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "gettimeofday", "MPI_Wtime", "CNTVCT"});
constexpr bool is_counter(Timer timer) { return timer == Timer::tsc || timer == Timer::cntvct; }

} // namespace tactus
