#include "postproc/finish/changed_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace tactus {

// Of the events at one tick the time of the last one holds, because those before it took something that came earlier.
ShiftMap correction_of(const RankEvents& rank, const ProcessClock& before) {
    ShiftMapMaker maker;
    std::optional<ShiftKnot> last;
    ClockCursor cursor{before};
    for (const Event& event : rank.events) {
        if (last && last->tick != event.tick) maker.add(*last);
        last = {event.tick, event.stamp - within_reach(cursor.at(event.tick))};
    }
    if (last) maker.add(*last);
    return maker.take();
}

bool goes_on(const ProcessClock& clock) {
    const std::vector<ShiftKnot>& knots = clock.refined.knots;
    for (std::size_t i = 1; i < knots.size(); ++i) {
        const GlobalTime time = clock.fitted.at(knots[i].tick) - clock.fitted.at(knots[i - 1].tick);
        if (std::abs(knots[i].shift - knots[i - 1].shift) > time / 2) return false;
    }
    return true;
}

void measure_change(const RankEvents& rank, const ProcessClock& before, ClockQuality& quality) {
    ClockCursor cursor{before};
    GlobalTime last_before = 0;
    GlobalTime last_after = 0;
    bool any = false;
    for (const Event& event : rank.events) {
        const GlobalTime time = within_reach(cursor.at(event.tick));
        quality.largest_move = std::max(quality.largest_move, std::abs(event.stamp - time));
        if (any && time > last_before) {
            const auto was = static_cast<double>(time - last_before);
            const auto is = static_cast<double>(event.stamp - last_after);
            ++quality.intervals;
            quality.changed += std::abs(is - was) > 0.01 * was ? 1 : 0;
        }
        last_before = time;
        last_after = event.stamp;
        any = true;
    }
}

} // namespace tactus
