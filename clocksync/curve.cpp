#include "clocksync/curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus {
namespace {

double width(std::span<const Point> points, std::size_t gap) { return points[gap + 1].local - points[gap].local; }
double chord(std::span<const Point> points, std::size_t gap) {
    return (points[gap + 1].offset - points[gap].offset) / width(points, gap);
}

// Gives the slope at `at` of the polynomial through the points first .. first + count - 1, by Lagrange's formula.
double slope_through(std::span<const Point> points, std::size_t at, std::size_t first, std::size_t count) {
    const double x = points[at].local;
    double slope = 0;
    for (std::size_t j = first; j < first + count; ++j) {
        if (j == at) continue;
        // (offset_j - offset_at) x the derivative of j's basis polynomial at x. The derivatives of all the basis
        // polynomials sum to zero, so this accounts for the one of `at`.
        double weight = 1 / (points[j].local - x);
        for (std::size_t k = first; k < first + count; ++k)
            if (k != j && k != at) weight *= (x - points[k].local) / (points[j].local - points[k].local);
        slope += weight * (points[j].offset - points[at].offset);
    }
    return slope;
}

Slopes slopes_through(std::span<const Point> points, std::size_t wanted) {
    const std::size_t count = std::min(wanted, points.size());
    Slopes slopes;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t before = std::min(i, count / 2);
        slopes.push_back(slope_through(points, i, std::min(i - before, points.size() - count), count));
    }
    return slopes;
}

} // namespace

Slopes three_point_slopes(std::span<const Point> points) { return slopes_through(points, 3); }

void calm(std::span<const Point> points, Slopes& slopes) {
    const std::size_t last = points.size() - 1;
    for (std::size_t i = 0; i <= last && last > 1; ++i) {
        const bool at_end = i == 0 || i == last;
        const std::size_t own = std::min(i, last - 1);
        const std::size_t other = i == 0 ? 1 : i == last ? last - 2 : i - 1;
        const bool own_longer = at_end || width(points, own) > width(points, other);
        const std::size_t longer = own_longer ? own : other;
        const double ratio = width(points, own_longer ? other : own) / width(points, longer);
        const double mean = chord(points, longer);
        slopes[i] = mean + (slopes[i] - mean) * std::min(1.0, most_gap_ratio * ratio);
    }
}

Slopes constrained_slopes(std::span<const Point> points) {
    const std::size_t last = points.size() - 1;
    Slopes slopes(points.size());
    const auto rise = [&](std::size_t gap) { return 1 + chord(points, gap); };
    for (std::size_t i = 1; i < last; ++i)
        slopes[i] = rise(i - 1) * rise(i) > 0 ? 2 / (1 / rise(i - 1) + 1 / rise(i)) : 0;
    slopes[0] = last == 1 ? rise(0) : 1.5 * rise(0) - slopes[1] / 2;
    slopes[last] = last == 1 ? rise(0) : 1.5 * rise(last - 1) - slopes[last - 1] / 2;
    for (double& slope : slopes) slope -= 1;
    return slopes;
}

OnCurve on_curve(std::span<const Point> points, const Slopes& slopes, std::size_t gap, double u) {
    const Point& left = points[gap];
    const double mean = chord(points, gap);
    const double before = slopes[gap] - mean;
    const double behind = slopes[gap + 1] - mean;
    OnCurve on;
    on.point.local = left.local + u * width(points, gap);
    on.point.offset = left.offset + u * width(points, gap) * (mean + (1 - u) * ((1 - u) * before - u * behind));
    on.point.half_width = left.half_width + u * (points[gap + 1].half_width - left.half_width);
    on.slope = mean + (1 - u) * (1 - 3 * u) * before - u * (2 - 3 * u) * behind;
    return on;
}

namespace {

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

// Gives for each gap the largest of its own value and those of the gaps beside it.
std::vector<double> spread_out(const std::vector<double>& own) {
    std::vector<double> widest = own;
    for (std::size_t gap = 0; gap + 1 < own.size(); ++gap) {
        widest[gap] = std::max(widest[gap], own[gap + 1]);
        widest[gap + 1] = std::max(widest[gap + 1], own[gap]);
    }
    return widest;
}

// How far a bend somewhere in a gap could take the curve from its chord, judged by how the drift differs on both sides.
std::vector<double> bends(std::span<const Point> points) {
    std::vector<double> most;
    const std::size_t gaps = points.size() - 1;
    for (std::size_t gap = 0; gap < gaps; ++gap) {
        const double before = chord(points, gap > 0 ? gap - 1 : 0);
        const double behind = chord(points, std::min(gap + 1, gaps - 1));
        most.push_back(std::abs(behind - before) * width(points, gap) / 8);
    }
    return spread_out(most);
}

} // namespace

std::vector<double> bulges(std::span<const Point> points, const Slopes& slopes) {
    constexpr std::size_t more_neighbors = 5;
    constexpr double few = 2; // the factor for few points, between which any bend may hide
    std::vector<double> bulge = bends(points);
    if (points.size() <= more_neighbors) {
        for (double& most : bulge) most *= few;
        return bulge;
    }
    const Slopes other = slopes_through(points, more_neighbors);
    std::vector<double> doubt;
    for (std::size_t gap = 0; gap < bulge.size(); ++gap) {
        const double left = slopes[gap] - other[gap];
        const double right = slopes[gap + 1] - other[gap + 1];
        double most = 0;
        for (const double u : {0.2, 0.35, 0.5, 0.65, 0.8})
            most = std::max(most, std::abs(u * (1 - u) * ((1 - u) * left - u * right)));
        doubt.push_back(most * width(points, gap));
    }
    // Where the drift changes smoothly, more neighbors hardly change the slopes. Where they do change them, or where
    // the drift changes much more than elsewhere, there is a bend.
    constexpr double smooth = 0.04;
    constexpr double outstanding = 3;
    doubt = spread_out(doubt);
    const double usual = median(bulge);
    for (std::size_t gap = 0; gap < bulge.size(); ++gap) {
        const double share = bulge[gap] > 0 ? doubt[gap] / bulge[gap] : 0;
        if (bulge[gap] > outstanding * usual && bulge[gap] > points[gap].half_width) continue;
        bulge[gap] = std::max(doubt[gap], std::min(bulge[gap], doubt[gap] * share / smooth));
    }
    return bulge;
}

std::vector<Step> steps_in(std::span<const Point> points) {
    constexpr double clearly = 5;
    constexpr double smallest_ns = 1000;
    constexpr std::size_t nearby = 32; // gaps on either side that show what is usual
    std::vector<Step> steps;
    if (points.size() < 4) return steps;
    const std::size_t gaps = points.size() - 1;
    for (std::size_t gap = 1; gap + 1 < gaps; ++gap) {
        const double before = chord(points, gap - 1);
        const double behind = chord(points, gap + 1);
        const double odd = chord(points, gap) - (before + behind) / 2;
        const double jump = odd * width(points, gap);
        const double noise = points[gap].bound + points[gap + 1].bound;
        if (!(std::abs(jump) > clearly * noise + smallest_ns && std::abs(odd) > clearly * std::abs(behind - before)))
            continue;
        std::vector<double> usual = {std::abs(behind - before)};
        for (std::size_t i = gap - std::min(gap, nearby); i + 1 < std::min(gaps, gap + nearby); ++i)
            if (i != gap && i + 1 != gap) usual.push_back(std::abs(chord(points, i + 1) - chord(points, i)));
        if (std::abs(odd) > clearly * median(std::move(usual))) steps.push_back({gap, jump});
    }
    return steps;
}

std::vector<Point> without_steps(std::span<const Point> points, std::span<const Step> steps) {
    std::vector<Point> even{points.begin(), points.end()};
    double jumped = 0;
    for (std::size_t i = 0, step = 0; i < even.size(); ++i) {
        for (; step < steps.size() && steps[step].gap < i; ++step) jumped += steps[step].jump;
        even[i].offset -= jumped;
    }
    return even;
}

void keep_rising(std::span<const Point> points, Slopes& slopes) {
    constexpr double lowest = 1e-6; // above zero, so that it rises strictly
    for (std::size_t gap = 0; gap + 1 < points.size(); ++gap) {
        const double most = 3 * (1 + chord(points, gap)) * (1 - 1e-6) - 1;
        for (double* const slope : {&slopes[gap], &slopes[gap + 1]})
            *slope = std::clamp(*slope, std::min(lowest - 1, most), most);
    }
}

} // namespace tactus
