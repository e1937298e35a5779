// The time in which threads were able to run and had no core, for each row and slot of a picture. Slots are those of
// functions. Where they are narrower than what is kept, the time is spread evenly over them.
#pragma once

#include <cstdint>
#include <vector>

namespace tactus {

class TimeLine;
struct ViewRequest;
struct View;

struct NoCoreSlot {
    std::uint32_t slot = 0; // counted from the first of the view
    double share = 0;       // of the time of all threads of the row in the slot; more than 0
    // Pictures are hatched from this share on. Two threads that take turns on one core have no core for half of the
    // time.
    static constexpr double hatched = 0.25;
};

// Gives the slots of each row in which threads had no core, in order of time.
std::vector<std::vector<NoCoreSlot>> no_core_shown(const TimeLine& time_line, const ViewRequest& request,
                                                   const View& view, unsigned threads);

} // namespace tactus
