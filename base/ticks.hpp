// Raw clock reads. Ticks are what the chosen timer counts: those of the processor's counter, or nanoseconds of any
// other timer.
// Any thread may read. The timer is chosen once, before the first read; only MPI_Wtime changes its source later.
#pragma once

#include "processor.hpp"

#include <cstdint>

namespace tactus {

using Ticks = std::uint64_t;

const char* name_of(Timer timer); // "unknown" for a value out of range, which a damaged file may hold

// The best timer here: the processor's counter when it is steady, else CLOCK_MONOTONIC.
Timer best_timer();

// CLOCK_MONOTONIC, whatever the timer: for deadlines and for times that are not in the trace.
std::int64_t monotonic_ns();

using ReadTicks = Ticks (*)();
using ReadSeconds = double (*)();
using ErrorAt = double (*)(Ticks tick); // ns

namespace detail {
extern ReadTicks reader; // nullptr for the processor's counter
}

// Whether a timer can be read here: each but the counters of other processors.
constexpr bool is_here(Timer timer) { return !is_counter(timer) || timer == processor::counter; }
// CLOCK_MONOTONIC takes the place of a timer that is not here.
void choose_timer(Timer timer);
// From now on Timer::mpi_wtime reads `wtime`, or CLOCK_MONOTONIC for nullptr, since MPI_Wtime must not be called before
// MPI_Init and after MPI_Finalize. The time goes on without a jump.
void use_wtime(ReadSeconds wtime);
Timer chosen_timer();
// Reads any timer once, also one that was not chosen.
Ticks read_timer(Timer timer);

inline Ticks now() { // hot
    if (detail::reader != nullptr) [[unlikely]]
        return detail::reader();
    return processor::count();
}

// For tests: from now on all clocks of this process are wrong by `error(tick)` nanoseconds, where `tick` is the true
// tick of the chosen timer. A tick lasts `ns_per_tick`.
void make_clocks_wrong(ErrorAt error, double ns_per_tick);
Ticks true_now(); // without that error

// The number of ticks of which all differences of two reads are multiples. Many machines count in steps above 1.
Ticks timer_step();
// The median difference of two successive reads that differ, at least 1. No time stamp is more exact than that.
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

// The difference does not overflow, since the anchors of a damaged file may hold any two numbers.
double ns_between(std::int64_t begin_ns, std::int64_t end_ns);
// No timer is faster or slower than these.
constexpr double least_ns_per_tick = 1e-6;
constexpr double most_ns_per_tick = 1e9;
// The length of a tick. For a processor's counter it follows from CLOCK_MONOTONIC at two anchors, and is 1 when these
// make no sense; for any other timer it is 1.
double ns_per_tick(Timer timer, const Anchor& begin, const Anchor& end);

// Reads the three clocks within about 100 ns of each other. Of a few tries it takes the narrowest, and the tick in its
// middle.
Anchor read_anchor();

} // namespace tactus
