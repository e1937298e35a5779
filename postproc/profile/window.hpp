// The part of a run that a profile covers. Every clock of the run is monotonic, so a window of global time is a window
// of ticks on each rank. The sums of a profile are therefore exact, and adjacent windows add up to the whole.
// docs/commands.md has the rules.
#pragma once

#include "trace/lane_walk.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tactus {

inline Ticks difference_or_zero(Ticks a, Ticks b) { return a > b ? a - b : 0; }

// The times from <= time < to. Without a value it has no limit on that side.
struct Window {
    std::optional<GlobalTime> from;
    std::optional<GlobalTime> to;
};

// The same window by the clock of a rank.
struct TickWindow {
    Ticks from = 0;
    Ticks to = ~Ticks{0};

    [[nodiscard]] bool holds(Ticks tick) const { return from <= tick && tick < to; }
    // How much of an interval lies in the window.
    [[nodiscard]] Ticks part_of(Ticks enter, Ticks leave) const {
        const Ticks begin = std::max(enter, from);
        const Ticks end = std::min(leave, to);
        return end > begin ? end - begin : 0;
    }
    // The same for `time` ticks that are spread evenly over the interval, like those of equal calls in a row.
    [[nodiscard]] Ticks part_of(Ticks enter, Ticks leave, Ticks time) const;
    [[nodiscard]] bool touches(Ticks enter, Ticks leave) const { return holds(leave) || part_of(enter, leave) > 0; }
};

TickWindow window_of(const RankFile& file, const Window& window);

// The blocks of a lane that have a record that touches the window, or that is inside of a call that does. Consecutive
// blocks are returned together.
std::vector<LaneBlocks> blocks_in(const RankFile& file, LaneBlocks lane, const TickWindow& window);

} // namespace tactus
