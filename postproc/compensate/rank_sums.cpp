#include "postproc/compensate/rank_sums.hpp"

#include <algorithm>

namespace tactus {
namespace {

// Most records are of the same lane, and often of the same function, as the record before.
template <class Key, class Value> Value& found(std::pair<Key, Value*>& last, std::map<Key, Value>& all, Key key) {
    if (last.second == nullptr || last.first != key) last = {key, &all[key]};
    return *last.second;
}

} // namespace

void RankSums::add(const Delayed& delayed) {
    const Record& record = delayed.record;
    if (record.what.kind != Kind::call) return;
    add_span(found(last_lane_, lanes_, delayed.lane), delayed);
    if (record.enter < first_) {
        first_ = record.enter;
        delay_at_first_ = delayed.at_enter;
    }
    if (record.leave > last_) {
        last_ = record.leave;
        delay_at_last_ = delayed.at_leave;
    }
    if (record.what.has(flag::nested)) return; // its time is part of the outer call's
    const double measured = file_->seconds(inside_of(record));
    // Between equal calls in a row the program is at work.
    const double saved = record.what.has(flag::repeated) ? 0 : 1e-9 * (delayed.at_leave - delayed.at_enter);
    const double left = std::max(0.0, measured - saved);
    for (TimePair* const sum : {&found(last_function_, functions_, record.what.function), &mpi_}) {
        sum->measured_s += measured;
        sum->compensated_s += left;
    }
}

CompensatedRank RankSums::row(const DelayCounts& counts, std::uint64_t released) const {
    CompensatedRank row{.rank = file_->header().rank,
                        .wall = {},
                        .mpi = mpi_,
                        .functions = {},
                        .spans = spans_,
                        .clamped = clamped_,
                        .clamped_s = clamped_s_,
                        .messages = counts.messages,
                        .collectives = counts.collectives,
                        .notes = counts.notes,
                        .released = released};
    for (const auto& [function, time] : functions_) row.functions.push_back({function, time});
    if (last_ > first_) {
        row.wall.measured_s = file_->seconds(last_ - first_);
        row.wall.compensated_s = std::max(0.0, row.wall.measured_s - 1e-9 * (delay_at_last_ - delay_at_first_));
    }
    return row;
}

void RankSums::add_span(Lane& lane, const Delayed& delayed) {
    const Record& record = delayed.record;
    if (lane.leave != 0 && record.enter >= lane.leave)
        clamp(file_->seconds(record.enter - lane.leave), delayed.at_enter - lane.delay);
    clamp(file_->seconds(record.leave - record.enter), delayed.at_leave - delayed.at_enter);
    lane = {record.leave, delayed.at_leave};
}

void RankSums::clamp(double span_s, double saved_ns) {
    ++spans_;
    const double over_s = 1e-9 * saved_ns - span_s;
    constexpr double rounding_s = 1e-9;
    if (over_s <= rounding_s) return;
    ++clamped_;
    clamped_s_ += over_s;
}

} // namespace tactus
