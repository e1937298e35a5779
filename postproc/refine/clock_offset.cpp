#include "postproc/refine/clock_offset.hpp"

#include "postproc/refine/curve_weights.hpp"

#include <cmath>

namespace tactus {

double ClockOffset::at(GlobalTime time) const {
    if (points.size() < 2) return points.empty() ? 0 : points.front().ns;
    const CurveWeights<Point> weights{points, time};
    double sum = 0;
    for (std::size_t i = weights.begin(); i < weights.end(); ++i) sum += weights[i] * points[i].ns;
    return sum;
}

// The points may all be wrong by as much as they may be, each in the direction that makes this time most wrong. Outside
// of the points the clock may also drift against the line. A single point gives no line.
double ClockOffset::within(GlobalTime time) const {
    if (points.empty()) return 0;
    const double outside = std::max({0.0, ns_from(time, points.front().time), ns_from(points.back().time, time)});
    if (points.size() == 1)
        return points.front().within_ns + unknown_drift * std::abs(ns_from(points.front().time, time));
    const CurveWeights<Point> weights{points, time};
    double sum = may_drift * outside;
    for (std::size_t i = weights.begin(); i < weights.end(); ++i) sum += std::abs(weights[i]) * points[i].within_ns;
    return sum;
}

} // namespace tactus
