// Each lane's delay as a line over its ticks, for readers that ask for the time of any event. Memory: 32 bytes a
// record.
#pragma once

#include "postproc/compensate/compensate.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tactus {

class DelayLine {
  public:
    // Of the records of one lane, in order; `ns`: their global time. Compensated times never run back: where the delay
    // grew by more than the time there was, it is cut.
    void add(Ticks tick, double ns, double delay_ns);
    // Behind the last add(): so that they can be asked for.
    void settle();
    // Nanoseconds; straight between records, and as at the nearest one outside.
    [[nodiscard]] double at(Ticks tick) const;

  private:
    struct Knot {
        Ticks tick = 0;
        double ns = 0;
        double delay_ns = 0;
    };
    std::vector<Knot> knots_;
};

using DelayLines = std::map<std::pair<std::uint32_t, std::uint32_t>, DelayLine>; // by rank and lane
DelayLines delay_lines(const Trace& trace, DelaySource source);

} // namespace tactus
