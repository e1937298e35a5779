// The common clock while the program runs: the newest fit, extrapolated linearly from the last round of measurements.
// Each round that all ranks take part in makes a new one. An OnlineClock is never changed and never freed, so any
// thread may read it.
#pragma once

#include "base/ticks.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// Times of two ranks are compared only when their clocks differ by at most this much.
constexpr double most_uncertain_ns = 1000;

struct OnlineClock {
    Ticks tick = 0;
    double time_ns = 0; // time at `tick`, since the start of rank 0
    double ns_per_tick = 1;
    double half_width_ns = 0; // bound of the error of any rank's clock at `tick`
    double drift = 0;         // growth of half_width_ns, in nanoseconds per nanosecond
    bool one_for_all = false; // all ranks share one clock
    std::vector<bool> shared; // by rank of MPI_COMM_WORLD: whether that rank has the same clock as this one

    [[nodiscard]] double at(Ticks when) const { // hot
        return time_ns + static_cast<double>(static_cast<std::int64_t>(when - tick)) * ns_per_tick;
    }
    // Whether times of `rank` can be compared with times of this rank at `when_ns`.
    [[nodiscard]] bool agrees_with(std::size_t rank, double when_ns) const {
        return one_for_all || shared[rank] || agrees(when_ns);
    }
    // Whether times of any two ranks can be compared at `when_ns`.
    [[nodiscard]] bool agrees(double when_ns) const {
        return one_for_all || 2 * (half_width_ns + drift * (when_ns - time_ns)) <= most_uncertain_ns;
    }
};

} // namespace tactus
