// The backward half of ECLC for one rank. eclc.hpp has the formula and its source. Pure.
#pragma once

#include "base/paged_list.hpp"
#include "postproc/replay/event.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

// An event that was moved because of what it took.
struct Jump {
    std::size_t event = 0;
    GlobalTime size = 0;
};

// The latest time to which an event that gave something may move.
struct Limit {
    std::size_t event = 0;
    GlobalTime time = 0;
};

// The time from which events are stretched because of a jump. `time` is that of the jump's event after the forward
// half.
GlobalTime window_begin(GlobalTime time, GlobalTime jump, double slope);

// Stretches the stamps of `events`. Jumps and limits are ordered by event, and `limits` has every event that gave
// something after the beginning of a window. Stamps only become later, but never later than their limit; they keep
// their order, and equal ones stay equal. Returns the steepest slope.
double stretch(PagedList<Event>& events, std::span<const Jump> jumps, std::span<const Limit> limits, double slope);

} // namespace tactus
