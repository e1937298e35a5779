// The part of a run that a profile is of. Every clock of the run is monotone, so that a window of global time is a
// window of ticks on each rank; what a profile adds up of it is exact, and windows side by side make the whole:
// docs/commands.md has the rules.
#pragma once

#include "trace/lane_walk.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tactus {

inline Ticks difference_or_zero(Ticks a, Ticks b) { return a > b ? a - b : 0; }

// from <= time < to; none: as far as the run goes.
struct Window {
    std::optional<GlobalTime> from;
    std::optional<GlobalTime> to;
};

// The same by the clock of one rank.
struct TickWindow {
    Ticks from = 0;
    Ticks to = ~Ticks{0};

    [[nodiscard]] bool holds(Ticks tick) const { return from <= tick && tick < to; }
    // How much of a stretch of time lies in it.
    [[nodiscard]] Ticks part_of(Ticks enter, Ticks leave) const {
        const Ticks begin = std::max(enter, from);
        const Ticks end = std::min(leave, to);
        return end > begin ? end - begin : 0;
    }
    // The same of `time` ticks that are spread evenly over the stretch, as those inside of a row of unsuccessful tests.
    [[nodiscard]] Ticks part_of(Ticks enter, Ticks leave, Ticks time) const;
    [[nodiscard]] bool touches(Ticks enter, Ticks leave) const { return holds(leave) || part_of(enter, leave) > 0; }
};

TickWindow window_of(const RankFile& file, const Window& window);

// The blocks of a lane in which anything touches the window, or lies inside of a call that does; those that follow each
// other together.
std::vector<LaneBlocks> blocks_in(const RankFile& file, LaneBlocks lane, const TickWindow& window);

} // namespace tactus
