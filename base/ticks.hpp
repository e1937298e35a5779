// Raw clock reads. Ticks are what the chosen timer counts: TSC cycles, or nanoseconds of any other.
// Any thread; the timer is chosen once, before the first read. Only MPI_Wtime changes its source underway.
#pragma once

#include <array>
#include <cstdint>
#include <x86intrin.h>

namespace tactus {

using Ticks = std::uint64_t;

enum class Timer : std::uint8_t { tsc, monotonic, monotonic_raw, gettimeofday, mpi_wtime };
inline constexpr auto timer_names =
    std::to_array<const char*>({"TSC", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "gettimeofday", "MPI_Wtime"});
const char* name_of(Timer timer); // of one that a file claims, too

// The best timer here: TSC when it is invariant and the kernel keeps time by it, else CLOCK_MONOTONIC.
Timer best_timer();

// CLOCK_MONOTONIC, whatever the timer: for deadlines and for times that are not in the trace.
std::int64_t monotonic_ns();

using ReadTicks = Ticks (*)();
using ReadSeconds = double (*)();
using ErrorAt = double (*)(Ticks tick); // ns

namespace detail {
extern ReadTicks reader; // of any timer but TSC; nullptr: TSC
}

void choose_timer(Timer timer);
// Timer::mpi_wtime goes on as CLOCK_MONOTONIC where MPI_Wtime must not be called: before MPI_Init and behind
// MPI_Finalize. From now on by `wtime`; nullptr: by it no longer.
void use_wtime(ReadSeconds wtime);
Timer chosen_timer();
// Any of them, once.
Ticks read_timer(Timer timer);

inline Ticks now() { // hot
    if (detail::reader != nullptr) [[unlikely]]
        return detail::reader();
    return __rdtsc();
}

// For tests: from now on all clocks of this process are wrong by `error(tick)` nanoseconds at the true tick of the
// chosen timer, which lasts `ns_per_tick`.
void make_clocks_wrong(ErrorAt error, double ns_per_tick);
Ticks true_now();

// What all differences of two reads are multiples of: many machines count in steps of more than one.
Ticks timer_step();
// By how much two reads, one behind the other, usually differ when they do: no stamp is more exact. At least 1.
Ticks timer_resolution();

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

// Anchors of a damaged file may be any two numbers.
double ns_between(std::int64_t begin_ns, std::int64_t end_ns);
// No timer is quicker or slower than that.
constexpr double least_ns_per_tick = 1e-6;
constexpr double most_ns_per_tick = 1e9;
// Nanoseconds a tick: of the TSC what CLOCK_MONOTONIC says between two anchors (1 when they say nothing), else 1.
double ns_per_tick(Timer timer, const Anchor& begin, const Anchor& end);

// Reads all three, the tick in the middle of the narrowest of a few tries (within about 100 ns of each other).
Anchor read_anchor();

} // namespace tactus
