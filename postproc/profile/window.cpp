#include "postproc/profile/window.hpp"

namespace tactus {
namespace {

__extension__ typedef unsigned __int128 Wide; // products of two spans

// The first tick at which the rank's clock shows `time` or more. If that lies before all records, any tick on that side
// does. It may lie after all records, where only MPI_Finalize lasts.
Ticks tick_from(const RankFile& file, GlobalTime time) {
    auto [early, late] = span_of(file.blocks());
    const ProcessClock& clock = file.clock();
    if (early > late || clock.at(early) >= time) return 0;
    if (clock.at(late) < time) return std::max(late + 1, clock.tick_at(time));
    while (late - early > 1) { // at(early) < time <= at(late)
        const Ticks middle = early + (late - early) / 2;
        (clock.at(middle) < time ? early : late) = middle;
    }
    return late;
}

// The earliest enter of the calls in a block that touch the window.
Ticks earliest_enter(const RankFile& file, const IndexEntry& entry, const TickWindow& window) {
    Ticks earliest = ~Ticks{0};
    const auto block = file.read_times(entry);
    if (!block) return earliest; // the error is reported when the whole block is read
    for (const TimedBlock::Timed& record : block->records)
        if (block->dictionary[record.signature].kind == Kind::call && window.touches(record.enter, record.leave))
            earliest = std::min(earliest, record.enter);
    return earliest;
}

} // namespace

Ticks TickWindow::part_of(Ticks enter, Ticks leave, Ticks time) const {
    if (leave <= enter) return holds(leave) ? time : 0;
    if (part_of(enter, leave) == leave - enter) return time;
    const auto until = [&](Ticks tick) {
        return static_cast<Ticks>(Wide{time} * (std::clamp(tick, enter, leave) - enter) / (leave - enter));
    };
    return until(std::max(from, to)) - until(from);
}

TickWindow window_of(const RankFile& file, const Window& window) {
    TickWindow ticks;
    if (window.from) ticks.from = tick_from(file, *window.from);
    if (window.to) ticks.to = tick_from(file, *window.to);
    return ticks;
}

std::vector<LaneBlocks> blocks_in(const RankFile& file, LaneBlocks lane, const TickWindow& window) {
    std::vector<bool> needed;
    for (const IndexEntry& block : lane) needed.push_back(window.touches(block.first, block.last));
    Ticks left_out = 0; // end of the last block so far that is not needed
    for (std::size_t i = 0; i < lane.size(); ++i) {
        if (!needed[i]) left_out = lane[i].last;
        if (!needed[i] || lane[i].first >= left_out) continue;
        // The records of calls nested in another come before its record.
        const Ticks enter = earliest_enter(file, lane[i], window);
        for (std::size_t before = i; before-- > 0 && lane[before].last > enter;) needed[before] = true;
    }
    std::vector<LaneBlocks> runs;
    for (std::size_t first = 0; first < lane.size();) {
        std::size_t end = first;
        while (end < lane.size() && needed[end]) ++end;
        if (end > first) runs.push_back(lane.subspan(first, end - first));
        first = end + 1;
    }
    return runs;
}

} // namespace tactus
