// The time line of a lane, added up ahead: made of its records, from the last to the first. One thread.
#pragma once

#include "postproc/lod/counters.hpp"
#include "postproc/lod/lane_spans.hpp"
#include "postproc/lod/plan.hpp"
#include "postproc/lod/slots.hpp"
#include "trace/lane_walk.hpp"

#include <functional>
#include <vector>

namespace tactus {

struct LaneChunk {
    std::int64_t chunk = 0; // its number
    Slots slots;
};

using TakeChunk = std::function<void(const LaneChunk&)>;

// Where its records are, by a clock.
LaneTimes times_of(LaneBlocks blocks, const ProcessClock& clock);

struct LaneIndex {
    std::vector<Frame> frames; // that go on behind the end of a block, by enter
    std::vector<CounterLevel> counters;
    std::vector<Error> unreadable;
};

// Makes the chunks of the plan, each handed out once.
LaneIndex index_lane(const RankFile& file, LaneBlocks blocks, const SpanFunctions& known, const CounterValues& values,
                     const ProcessClock& clock, const LaneTimes& times, const TakeChunk& take);

} // namespace tactus
