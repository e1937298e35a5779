// The common clock while the program runs: the newest fit, straight on since the last round. Made by the rounds that
// all ranks come to, never changed, never given back. Any thread.
#pragma once

#include "base/ticks.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// How far two ranks' clocks may be apart for their times to be compared.
constexpr double most_uncertain_ns = 1000;

struct OnlineClock {
    Ticks tick = 0;
    double time_ns = 0; // at `tick`, since the start of rank 0
    double ns_per_tick = 1;
    double half_width_ns = 0; // at `tick`, of any rank's clock
    double drift = 0;         // by which it grows, nanoseconds a nanosecond
    bool one_for_all = false; // all ranks share one clock
    std::vector<bool> shared; // by rank of MPI_COMM_WORLD: has this rank's

    [[nodiscard]] double at(Ticks when) const { // hot
        return time_ns + static_cast<double>(static_cast<std::int64_t>(when - tick)) * ns_per_tick;
    }
    // Whether times of that rank's can be compared with ours at that time.
    [[nodiscard]] bool agrees_with(std::size_t rank, double when_ns) const {
        return one_for_all || shared[rank] || agrees(when_ns);
    }
    [[nodiscard]] bool agrees(double when_ns) const {
        return one_for_all || 2 * (half_width_ns + drift * (when_ns - time_ns)) <= most_uncertain_ns;
    }
};

} // namespace tactus
