#include "postproc/compensate/delay_lines.hpp"

#include "trace/lane_walk.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {

void DelayLine::add(Ticks tick, GlobalTime time, GlobalTime delay) { knots_.push_back({tick, time, delay}); }

// Nested calls are stored before the call around them, so the knots are not yet in order.
void DelayLine::settle() {
    std::stable_sort(knots_.begin(), knots_.end(), [](const Knot& a, const Knot& b) { return a.tick < b.tick; });
    for (std::size_t i = 1; i < knots_.size(); ++i) {
        const Knot& before = knots_[i - 1];
        knots_[i].delay = std::min(knots_[i].delay, before.delay + (knots_[i].time - before.time));
    }
}

GlobalTime DelayLine::at(Ticks tick) const {
    if (knots_.empty()) return 0;
    const auto behind = std::upper_bound(knots_.begin(), knots_.end(), tick,
                                         [](Ticks wanted, const Knot& knot) { return wanted < knot.tick; });
    if (behind == knots_.begin()) return behind->delay;
    const Knot& left = behind[-1];
    if (behind == knots_.end() || behind->tick == left.tick) return left.delay;
    const double share = static_cast<double>(tick - left.tick) / static_cast<double>(behind->tick - left.tick);
    return left.delay + std::llround(share * static_cast<double>(behind->delay - left.delay));
}

Result<DelayLines> delay_lines(const Trace& trace, DelaySource source) {
    DelayLines lines;
    for (const RankFile& file : trace.ranks) // all are made before several threads look them up
        for (const LaneBlocks blocks : lanes_of(file)) lines[{file.header().rank, blocks.front().lane}];
    const auto take = [&](const Delayed& delayed) {
        const Record& record = delayed.record;
        if (record.what.kind == Kind::delay || record.what.kind == Kind::message_ids) return; // their call follows
        const RankFile& file = trace.ranks[delayed.rank];
        DelayLine& line = lines.find({file.header().rank, delayed.lane})->second;
        const auto add = [&](Ticks tick, double delay_ns) {
            line.add(tick, within_reach(file.clock().at(tick)), within_reach(time_of_ns(delay_ns)));
        };
        add(record.enter, delayed.at_enter);
        add(record.leave, delayed.at_leave);
    };
    if (const auto done = compensate(trace, source, take, threads_for(trace)); !done) return done.error();
    for (auto& [lane, line] : lines) line.settle();
    return lines;
}

} // namespace tactus
