#include "postproc/compensate/delay_lines.hpp"

#include "trace/lane_walk.hpp"

#include <algorithm>

namespace tactus {

void DelayLine::add(Ticks tick, double ns, double delay_ns) { knots_.push_back({tick, ns, delay_ns}); }

// Nested calls are stored before the call around them, so the knots are not yet in order.
void DelayLine::settle() {
    std::stable_sort(knots_.begin(), knots_.end(), [](const Knot& a, const Knot& b) { return a.tick < b.tick; });
    for (std::size_t i = 1; i < knots_.size(); ++i) {
        const Knot& before = knots_[i - 1];
        knots_[i].delay_ns = std::min(knots_[i].delay_ns, before.delay_ns + (knots_[i].ns - before.ns));
    }
}

double DelayLine::at(Ticks tick) const {
    if (knots_.empty()) return 0;
    const auto behind = std::upper_bound(knots_.begin(), knots_.end(), tick,
                                         [](Ticks wanted, const Knot& knot) { return wanted < knot.tick; });
    if (behind == knots_.begin()) return behind->delay_ns;
    const Knot& left = behind[-1];
    if (behind == knots_.end() || behind->tick == left.tick) return left.delay_ns;
    const double share = static_cast<double>(tick - left.tick) / static_cast<double>(behind->tick - left.tick);
    return left.delay_ns + share * (behind->delay_ns - left.delay_ns);
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
        line.add(record.enter, 1e9 * trace.seconds(file, record.enter), delayed.at_enter);
        line.add(record.leave, 1e9 * trace.seconds(file, record.leave), delayed.at_leave);
    };
    if (const auto done = compensate(trace, source, take, threads_for(trace)); !done) return done.error();
    for (auto& [lane, line] : lines) line.settle();
    return lines;
}

} // namespace tactus
