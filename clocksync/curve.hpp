// A smooth curve of offset over local time through measured points: the slopes at the points, and how wrong the curve
// may be between them. Pure.
#pragma once

#include "clocksync/condense.hpp"

#include <span>
#include <vector>

namespace tactus {

// Slopes of the offset (ns per ns), one for each point. All functions take at least two points, whose local times
// increase strictly.
using Slopes = std::vector<double>;

// Gives the slopes of the parabola through each point and its neighbors. They are exact on parabolas, whatever the
// spacing.
Slopes three_point_slopes(std::span<const Point> points);

// The drift of a short gap holds for a few times its width and no longer. Where the gap beside it is longer than that,
// the slopes at both ends of the long gap are turned to the long gap's own slope.
constexpr double most_gap_ratio = 8;
void calm(std::span<const Point> points, Slopes& slopes);

// Gives the slopes of the constrained cubic spline of Kruger (2003), on (local, global): the harmonic mean of the
// slopes on both sides, zero where they differ in sign, no curvature at the ends. The spacing plays no part.
Slopes constrained_slopes(std::span<const Point> points);

// Gives the point on the cubic with these slopes at the share `u` of the way from point `gap` to the next.
struct OnCurve {
    Point point;
    double slope = 0;
};
OnCurve on_curve(std::span<const Point> points, const Slopes& slopes, std::size_t gap, double u);

// Gives for each gap, in ns, how wrong the cubic with these slopes may be in the middle of the gap. That is judged by
// how the slopes would change if more neighbors were used.
std::vector<double> bulges(std::span<const Point> points, const Slopes& slopes);

// A gap in which the offset jumped: the gaps beside it agree on a drift that it does not have.
struct Step {
    std::size_t gap = 0; // between points gap and gap + 1
    double jump = 0;     // ns of theta
};
std::vector<Step> steps_in(std::span<const Point> points);
// Gives the points as if the clock had not jumped: the drift in the gap is then that of the gaps beside it.
std::vector<Point> without_steps(std::span<const Point> points, std::span<const Step> steps);

// Limits the slopes, which are of the offset, so that global time rises. By Fritsch and Carlson (1980) it does when the
// slope of global time at no point is below zero or above three times that of a gap beside it.
void keep_rising(std::span<const Point> points, Slopes& slopes);

} // namespace tactus
