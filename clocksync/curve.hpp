// A smooth curve of offset over local time through measured points: slopes at the points, and how far off the curve may
// be between them. Pure.
#pragma once

#include "clocksync/condense.hpp"

#include <span>
#include <vector>

namespace tactus {

// Slopes of the offset (ns a ns) at each point; at least two points, local times strictly increasing.
using Slopes = std::vector<double>;

// Those of the parabola through each point and its neighbors: exact on parabolas, whatever the spacing.
Slopes three_point_slopes(std::span<const Point> points);

// The drift of a short gap holds for a few times its width, no longer: where the gap beside it is longer than that, the
// slopes at both ends of the long one turn to its own.
constexpr double most_gap_ratio = 8;
void calm(std::span<const Point> points, Slopes& slopes);

// The constrained cubic spline of Kruger (2003), on (local, global): the harmonic mean of the slopes on both sides,
// zero where they differ in sign, no curvature at the ends. Blind to the spacing.
Slopes constrained_slopes(std::span<const Point> points);

// The cubic with these slopes, at the share `u` of the way from point `gap` to the next.
struct OnCurve {
    Point point;
    double slope = 0;
};
OnCurve on_curve(std::span<const Point> points, const Slopes& slopes, std::size_t gap, double u);

// How far the cubic with these slopes may be off in the middle between two points, by how the slopes would change if
// more neighbors were asked. One value a gap.
std::vector<double> bulges(std::span<const Point> points, const Slopes& slopes);

// A gap in which the offset jumped: its neighbors agree on a drift that it does not have. `jump`: ns of theta.
struct Step {
    std::size_t gap = 0; // between points gap and gap + 1
    double jump = 0;
};
std::vector<Step> steps_in(std::span<const Point> points);
// The points of a clock that had not jumped: its drift in and beside the gap.
std::vector<Point> without_steps(std::span<const Point> points, std::span<const Step> steps);

// Fritsch and Carlson (1980): global time rises when the slope at no point is below zero or above three times that of a
// gap beside it. `slopes` are of the offset.
void keep_rising(std::span<const Point> points, Slopes& slopes);

} // namespace tactus
