// The numbers for a drawing of the clocks: how far each clock was ahead of global time over the run, and how far that
// deviates from a straight line. Pure functions.
#pragma once

#include "cli/clocks/clocks_facts.hpp"

#include <string>
#include <vector>

namespace tactus {

struct CurvePoint {
    double time_s = 0;        // global time
    double ahead_ns = 0;      // the clock's own time minus global time
    double bend_ns = 0;       // deviation from the straight line through the first and the last round
    double half_width_ns = 0; // of the time map, or of the round if the point is a round
    bool rejected = false;
};

struct ClockCurve {
    std::uint32_t rank = 0;
    std::string name; // such as "rank 3, node2"
    bool known = false;
    std::vector<CurvePoint> points; // at regular intervals over the run
    std::vector<CurvePoint> rounds;
    [[nodiscard]] double most_bend_ns() const;
};

// Returns one curve for each clock. A rank that uses another rank's clock has no curve.
std::vector<ClockCurve> clock_curves(const Trace& trace, const ClocksFacts& facts);

} // namespace tactus
