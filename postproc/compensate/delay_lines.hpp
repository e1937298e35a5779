// Each lane's delay as a line over its ticks, for readers that ask for the time of any event. Memory: 24 bytes per
// knot, and two knots per record.
#pragma once

#include "postproc/compensate/compensate.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tactus {

class DelayLine {
  public:
    // Adds a begin or an end of the lane's next record. Compensated times never run back: if the delay grew by more
    // than the time between two knots, settle() cuts it.
    void add(Ticks tick, GlobalTime time, GlobalTime delay);
    // Must be called once after the last add() and before the first at().
    void settle();
    // Returns the delay, in units of global time: linear between knots, and that of the nearest knot outside; 0 without
    // knots.
    [[nodiscard]] GlobalTime at(Ticks tick) const;

  private:
    struct Knot {
        Ticks tick = 0;
        GlobalTime time = 0;
        GlobalTime delay = 0;
    };
    std::vector<Knot> knots_;
};

using DelayLines = std::map<std::pair<std::uint32_t, std::uint32_t>, DelayLine>; // by rank and lane
Result<DelayLines> delay_lines(const Trace& trace, DelaySource source);

} // namespace tactus
