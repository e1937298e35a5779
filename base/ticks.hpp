// Raw clock reads. Ticks are what the chosen timer counts: TSC cycles, or nanoseconds of CLOCK_MONOTONIC.
// Any thread; the timer is chosen once, before the first read, and never changes.
#pragma once

#include <cstdint>
#include <x86intrin.h>

namespace tactus {

using Ticks = std::uint64_t;

enum class Timer : std::uint8_t { tsc = 0, monotonic = 1 };
inline constexpr const char* timer_names[] = {"TSC", "CLOCK_MONOTONIC"};

// The best timer here: TSC when it is invariant and the kernel keeps time by it, else CLOCK_MONOTONIC.
Timer best_timer();

namespace detail {
extern Timer timer;
Ticks monotonic_ns();
} // namespace detail

void choose_timer(Timer timer);
inline Timer chosen_timer() { return detail::timer; }

inline Ticks now() { // hot
    if (detail::timer != Timer::tsc) [[unlikely]]
        return detail::monotonic_ns();
    return __rdtsc();
}

// What all differences of two reads are multiples of: many machines count in steps of more than one.
Ticks timer_step();

// One instant on three clocks, so that ticks can be turned into time.
struct Anchor {
    Ticks tick = 0;
    std::int64_t monotonic_ns = 0; // CLOCK_MONOTONIC
    std::int64_t realtime_ns = 0;  // CLOCK_REALTIME, since 1970
    static constexpr void fields(auto& self, auto&& field) {
        field("tick", self.tick);
        field("monotonic_ns", self.monotonic_ns);
        field("realtime_ns", self.realtime_ns);
    }
};

// Reads all three, the tick in the middle of the narrowest of a few tries (within about 100 ns of each other).
Anchor read_anchor();

} // namespace tactus
