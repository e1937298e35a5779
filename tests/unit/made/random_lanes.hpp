// Ranks whose threads did random things, and what the threads were inside of at each moment. The latter is found by
// looking at every record for every stretch of time.
#pragma once

#include "postproc/lod/span.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tactus {

struct RandomLanes {
    std::uint32_t ranks = 2;
    std::uint32_t lanes = 2;      // of each rank
    std::size_t steps = 200;      // about how many records a lane has
    std::int64_t longest = 5000;  // length in nanoseconds; if it is small, many times are equal
    std::int64_t wrong_ns = 1000; // how far clocks are off, and partly corrected; 0: they are right
    double overhead_ns = 0;       // cost of recording a call
};
std::vector<MadeRank> random_lanes(std::uint64_t seed, const RandomLanes& how);

// By time. `lane` is the lane of a rank as it was made.
using TimeAt = std::function<GlobalTime(Ticks)>;
std::vector<Span> spans_by_looking(const MadeLane& lane, const std::vector<Symbol>& symbols, const TimeAt& at);

} // namespace tactus
