// By how much a clock is ahead of another, and how well that is known. Pure.
#pragma once

#include "trace/time_map.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// How much a clock's rate may differ from the nominal rate, and from that of a line through what is known of it.
constexpr double unknown_drift = 1e-4;
constexpr double may_drift = 1e-5;

// By how much a clock is ahead, at increasing times. Between the points it is cubic (with three-point slopes), and
// outside of them it goes on straight.
struct ClockOffset {
    std::uint32_t clock = 0;
    struct Point {
        GlobalTime time = 0;
        double ns = 0;
        double within_ns = 0; // the true offset is this close
    };
    std::vector<Point> points;
    [[nodiscard]] double at(GlobalTime time) const;
    [[nodiscard]] double within(GlobalTime time) const;
};

} // namespace tactus
