// Condenses a measured round to a point: how far the master's clock was ahead of the local clock at one moment. Pure.
//
// A sample says that the master's clock showed y at a moment when the local clock showed something between `sent` and
// `received`, all in nanoseconds. So the offset theta = master - local lies between y - received and y - sent.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tactus {

// A SyncSample in nanoseconds.
struct Exchange {
    double sent = 0;              // ns of the local clock since its reference tick
    double master = 0;            // ns of global time since the reference time
    double received = 0;          // ns of the local clock
    double master_half_width = 0; // ns by which the master's global time may be wrong
    bool crowded = false;         // see SyncRound; also true for barriers, which may take longer one way
    [[nodiscard]] double middle() const { return sent + (received - sent) / 2; }
    [[nodiscard]] double round_trip() const { return received - sent; }
};

struct Point {
    double local = 0;         // ns of the local clock
    double offset = 0;        // ns, theta at this moment
    double half_width = 0;    // ns, the stated error
    double bound = 0;         // ns, the hard bound of the error, which holds whatever the delays were
    double contradiction = 0; // ns by which the samples contradict each other; 0 when they do not
    [[nodiscard]] double global() const { return local + offset; }
};

// What is known of the drift of theta, and its error, both in ns per ns; and how exact a stamp is, in ns.
struct Drift {
    double rate = 0;
    double error = 0;
    double resolution_ns = 0;
};

// Condenses by hard bounds, the interval of SKaMPI: each sample bounds theta from both sides, and all bounds are moved
// to one moment by the drift. The offset lies between the highest lower and the lowest upper bound: it is the mean of
// the quickest quarter, clamped to them, or the middle on crowded hosts. Nothing without samples.
std::optional<Point> condense_by_bounds(std::span<const Exchange> samples, const Drift& drift);

// Condense as Intel's collector did: leave out the tenth that took longest, and take the mean of all middles.
std::vector<Exchange> without_slowest_tenth(std::span<const Exchange> samples);
std::optional<Point> condense_by_mean(std::span<const Exchange> samples);

} // namespace tactus
