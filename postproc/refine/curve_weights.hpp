// The curve through points of which each has a time: cubic between the points, with three-point slopes, and straight
// outside of them.
#pragma once

#include "trace/time_map.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace tactus {

// How much each of two or more points counts in what the curve through them says of a time. That is linear in what
// the points say, and at most four points beside each other count. The points must outlive this.
template <typename Point> class CurveWeights {
  public:
    CurveWeights(const std::vector<Point>& points, GlobalTime time) : points_{points} {
        const auto after = std::upper_bound(points.begin(), points.end(), time,
                                            [](GlobalTime t, const Point& point) { return t < point.time; });
        if (after == points.begin() || after == points.end()) {
            const std::size_t nearest = after == points.begin() ? 0 : points.size() - 1;
            first_ = after == points.begin() ? 0 : points.size() - 2;
            weights_[nearest - first_] = 1;
            add_chord(first_, ns_from(points[nearest].time, time));
            return;
        }
        const auto i = static_cast<std::size_t>(after - points.begin()) - 1;
        first_ = i == 0 ? 0 : i - 1;
        const double width = length(i);
        const double u = ns_from(points[i].time, time) / width;
        weights_[i - first_] = 1;
        add_chord(i, u * width);
        add_bend(i, i, width * u * (1 - u) * (1 - u));
        add_bend(i + 1, i, -width * u * u * (1 - u));
    }

    [[nodiscard]] std::size_t begin() const { return first_; }
    [[nodiscard]] std::size_t end() const { return std::min(first_ + weights_.size(), points_.size()); }
    [[nodiscard]] double operator[](std::size_t i) const {
        return begin() <= i && i < end() ? weights_[i - first_] : 0;
    }

  private:
    [[nodiscard]] double length(std::size_t i) const { return ns_from(points_[i].time, points_[i + 1].time); }
    // Adds `factor` times the slope of the straight line from a point to the next.
    void add_chord(std::size_t i, double factor) {
        weights_[i - first_] -= factor / length(i);
        weights_[i + 1 - first_] += factor / length(i);
    }
    // Adds `factor` times the difference between the slope at a point and that of the line from point `i` to the next.
    void add_bend(std::size_t at, std::size_t i, double factor) {
        if (at == 0 || at + 1 == points_.size()) return; // there, the slope is that of the line
        const double left = length(at - 1);
        const double right = length(at);
        add_chord(at - 1, factor * right / (left + right));
        add_chord(at, factor * left / (left + right));
        add_chord(i, -factor);
    }

    const std::vector<Point>& points_;
    std::size_t first_ = 0; // the point that the first weight belongs to
    std::array<double, 4> weights_{};
};

} // namespace tactus
