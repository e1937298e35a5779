#include "postproc/profile/core_time.hpp"

#include <algorithm>
#include <utility>

namespace tactus {
namespace {

constexpr std::size_t most_kept = 1 << 14; // stretches of a thread

// Adds up each two neighbors.
void halve(std::vector<TimeOutside>& stretches) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < stretches.size(); i += 2, ++kept) {
        stretches[kept] = stretches[i];
        if (i + 1 == stretches.size()) continue;
        stretches[kept].to = stretches[i + 1].to;
        stretches[kept].time += stretches[i + 1].time;
    }
    stretches.resize(kept);
}

} // namespace

void CoreTimeTally::add(const RankFile& file, const Record& record, Words words) {
    if (record.what.kind == Kind::call && !record.what.has(flag::nested)) in_mpi_ += inside_of(record);
    const auto stretch = Stretch::from(record, words);
    if (!stretch) return;
    const Ticks in_mpi = std::min(std::exchange(in_mpi_, 0), stretch->length);
    if (record.enter - stretch->length < since_) return;
    Known known{.from = record.enter - stretch->length,
                .to = record.enter,
                .outside = static_cast<double>(stretch->length - in_mpi) / static_cast<double>(stretch->length),
                .time = core_time(*stretch, file.seconds(stretch->length))};
    const auto cycles = counters_.count(*stretch, "cycles");
    const auto instructions = counters_.count(*stretch, "instructions");
    if (cycles && instructions) {
        ProcessorCounts& counts = known.time.counts;
        counts = {.user_s = known.time.ran_s - known.time.system_s, .cycles = *cycles, .instructions = *instructions};
        if (const auto misses = counters_.count(*stretch, "cache_misses"))
            counts.missed_of = *instructions, counts.cache_misses = *misses;
    }
    stretches_.add(known, *stretch, [&](const Known& told) { store(told); });
}

void CoreTimeTally::end_lane() {
    stretches_.finish([&](const Known& known) { store(known); });
}

void CoreTimeTally::store(const Known& known) {
    const double in_window =
        static_cast<double>(window_.part_of(known.from, known.to)) / static_cast<double>(known.to - known.from);
    const CoreTime outside = known.time.times(known.outside);
    use_.outside += outside.times(in_window);
    use_.inside += known.time.times((1 - known.outside) * in_window);
    if (!first_thread_) return;
    use_.first_thread.push_back({.from = known.from, .to = known.to, .time = outside});
    if (use_.first_thread.size() >= most_kept) halve(use_.first_thread);
}

OutsideUntil::OutsideUntil(const std::vector<TimeOutside>& stretches, const ProcessClock& clock) {
    ClockCursor cursor{clock};
    CoreTime sum;
    const auto put = [&](Ticks tick) {
        const GlobalTime time = within_reach(cursor.at(tick));
        if (knots_.empty() || time > knots_.back().time) knots_.push_back({time, {}});
        knots_.back().before = sum;
    };
    for (const TimeOutside& stretch : stretches) {
        put(stretch.from);
        sum += stretch.time;
        put(stretch.to);
    }
}

CoreTime OutsideUntil::until(GlobalTime time) const {
    const auto after = std::ranges::upper_bound(knots_, time, {}, &Knot::time);
    if (after == knots_.begin()) return {};
    const Knot& begin = after[-1];
    if (after == knots_.end()) return begin.before;
    CoreTime inside = after->before;
    inside -= begin.before;
    CoreTime all = begin.before;
    all += inside.times(static_cast<double>(time - begin.time) / static_cast<double>(after->time - begin.time));
    return all;
}

CoreTime OutsideUntil::between(GlobalTime from, GlobalTime to) const {
    CoreTime time = until(to);
    if (to > from) time -= until(from);
    return to > from ? time : CoreTime{};
}

} // namespace tactus
