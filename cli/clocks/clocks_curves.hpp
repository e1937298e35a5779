// What a drawing of the clocks shows, as numbers: how far each clock was ahead of global time over the run, and how far
// that is from a straight line. Pure.
#pragma once

#include "cli/clocks/clocks_facts.hpp"

#include <string>
#include <vector>

namespace tactus {

struct CurvePoint {
    double time_s = 0;        // global
    double ahead_ns = 0;      // the clock's own time minus global time
    double bend_ns = 0;       // from the straight line through the first and the last round
    double half_width_ns = 0; // of a round the round's own
    bool rejected = false;
};

struct ClockCurve {
    std::uint32_t rank = 0;
    std::string name; // "rank 3, node2"
    bool known = false;
    std::vector<CurvePoint> points; // over the run
    std::vector<CurvePoint> rounds;
    [[nodiscard]] double most_bend_ns() const;
};

// One a clock: ranks on another rank's clock have none of their own.
std::vector<ClockCurve> clock_curves(const Trace& trace, const ClocksFacts& facts);

} // namespace tactus
