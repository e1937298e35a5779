// Adds up the time line of a lane in chunks, when a trace is finished. It reads the records from the last to the first.
// Used by one thread.
#pragma once

#include "postproc/lod/counters.hpp"
#include "postproc/lod/lane_spans.hpp"
#include "postproc/lod/no_core.hpp"
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

// The times of the lane's blocks, by this clock.
LaneTimes times_of(LaneBlocks blocks, const ProcessClock& clock);

struct LaneIndex {
    std::vector<Frame> frames; // frames that go on after the end of some block, ordered by enter
    std::vector<CounterLevel> counters;
    std::vector<NoCoreLevel> no_core;
    std::vector<Error> unreadable;
};

// Makes the chunks that plan_chunks(times) asks for, and calls `take` once for each. Blocks that cannot be read are
// left out, and are in `unreadable`.
LaneIndex index_lane(const RankFile& file, LaneBlocks blocks, const SpanFunctions& known, const CounterValues& values,
                     const ProcessClock& clock, const LaneTimes& times, const TakeChunk& take);

} // namespace tactus
