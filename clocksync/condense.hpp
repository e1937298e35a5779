// One measured round as one point: how far the master's clock was ahead of this one, at one moment. Pure.
//
// A sample says that the master's clock showed y at a moment when this one showed something between `sent` and
// `received`, all in nanoseconds: so the offset theta = master - local lies between y - received and y - sent.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tactus {

struct Exchange {
    double sent = 0;     // ns of the local clock since its reference tick
    double master = 0;   // ns of global time since the reference time
    double received = 0; // ns of the local clock
    double master_half_width = 0;
    bool crowded = false; // see SyncRound; a barrier, too, may take longer one way
    [[nodiscard]] double middle() const { return sent + (received - sent) / 2; }
    [[nodiscard]] double round_trip() const { return received - sent; }
};

struct Point {
    double local = 0;         // ns of the local clock
    double offset = 0;        // ns, theta there
    double half_width = 0;    // ns, as stated
    double bound = 0;         // ns, half of the interval that no delay whatever can leave
    double contradiction = 0; // ns by which the samples contradict each other; 0 when they do not
    [[nodiscard]] double global() const { return local + offset; }
};

// What is known of the drift of theta (ns a ns), and how well; and how exact a stamp is, in ns.
struct Drift {
    double rate = 0;
    double error = 0;
    double resolution_ns = 0;
};

// Hard bounds, the interval of SKaMPI: each sample bounds theta from both sides, all are moved to one moment by the
// drift, and the middle between the highest lower and the lowest upper bound is taken. Nothing for no samples.
std::optional<Point> condense_by_bounds(std::span<const Exchange> samples, const Drift& drift);

// Intel's: without the tenth that took longest, the mean of all middles.
std::vector<Exchange> without_slowest_tenth(std::span<const Exchange> samples);
std::optional<Point> condense_by_mean(std::span<const Exchange> samples);

} // namespace tactus
