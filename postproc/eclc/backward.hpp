// The backward half of ECLC for one rank, pure: research of the formula in eclc.hpp.
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

// How late an event that gave something may become.
struct Limit {
    std::size_t event = 0;
    GlobalTime time = 0;
};

// Where the stretching of this jump begins, seen from its event's time after the forward half.
GlobalTime window_begin(GlobalTime time, GlobalTime jump, double slope);

// Both by event. `limits` has every event that gave something and lies behind the beginning of a window. Stamps only
// become later, never later than their limit, and keep their order; equal ones stay equal. Gives the steepest slope.
double stretch(PagedList<Event>& events, std::span<const Jump> jumps, std::span<const Limit> limits, double slope);

} // namespace tactus
