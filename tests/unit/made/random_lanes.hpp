// Ranks whose threads did anything at all, and what they were inside of at each moment: found by looking at every
// record for every stretch of time.
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
    std::uint32_t lanes = 2;      // of each
    std::size_t steps = 200;      // about so many records a lane
    std::int64_t longest = 5000;  // of times, in nanoseconds: with few of them many are equal
    std::int64_t wrong_ns = 1000; // the clocks are off by so much, and corrected in places; 0: they are right
    double overhead_ns = 0;       // of recording a call
};
std::vector<MadeRank> random_lanes(std::uint64_t seed, const RandomLanes& how);

// By time; `lane` of a rank as it was made.
using TimeAt = std::function<GlobalTime(Ticks)>;
std::vector<Span> spans_by_looking(const MadeLane& lane, const std::vector<Symbol>& symbols, const TimeAt& at);

} // namespace tactus
