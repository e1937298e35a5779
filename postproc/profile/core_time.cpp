#include "postproc/profile/core_time.hpp"

#include <algorithm>
#include <utility>

namespace tactus {
namespace {

constexpr std::size_t most_kept = 1 << 14;   // stretches of a thread
constexpr std::size_t most_untold = 1 << 12; // stretches that wait for the system to be asked

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

CoreTime& CoreTime::operator+=(const CoreTime& more) {
    ran_s += more.ran_s;
    waited_s += more.waited_s;
    asleep_s += more.asleep_s;
    off_core_s += more.off_core_s;
    system_s += more.system_s;
    page_faults += more.page_faults;
    return *this;
}

CoreTime& CoreTime::operator-=(const CoreTime& less) { return *this += less.times(-1); }

CoreTime CoreTime::times(double factor) const {
    return {.ran_s = factor * ran_s,
            .waited_s = factor * waited_s,
            .asleep_s = factor * asleep_s,
            .off_core_s = factor * off_core_s,
            .system_s = factor * system_s,
            .page_faults = factor * page_faults};
}

void CoreTimeTally::add(const RankFile& file, const Record& record, Words words) {
    if (record.what.kind == Kind::call && !record.what.has(flag::nested)) in_mpi_ += inside_of(record);
    const auto stretch = Stretch::from(record, words);
    if (!stretch) return;
    const Ticks in_mpi = std::min(std::exchange(in_mpi_, 0), stretch->length);
    if (record.enter - stretch->length < since_) return;
    const double length_s = file.seconds(stretch->length);
    Known known{.from = record.enter - stretch->length,
                .to = record.enter,
                .outside = static_cast<double>(stretch->length - in_mpi) / static_cast<double>(stretch->length),
                .time = {}};
    CoreTime& time = known.time;
    time.ran_s = std::min(1e-9 * static_cast<double>(stretch->ran_ns), length_s);
    time.off_core_s = length_s - time.ran_s;
    time.system_s = std::min(1e-9 * static_cast<double>(stretch->system_ns), time.ran_s);
    time.page_faults = static_cast<double>(stretch->minor_faults + stretch->major_faults);
    untold_.push_back(known);
    if (stretch->waited_ns >= 0) tell(1e-9 * static_cast<double>(stretch->waited_ns));
    if (untold_.size() >= most_untold) end_lane();
}

// The system says that the thread had no core for `waited_s` in the stretches since it was asked.
void CoreTimeTally::tell(double waited_s) {
    double off_core_s = 0;
    for (const Known& known : untold_) off_core_s += known.time.off_core_s;
    const double share = off_core_s > 0 ? std::min(waited_s / off_core_s, 1.0) : 0;
    for (Known& known : untold_) {
        known.time.waited_s = share * known.time.off_core_s;
        known.time.asleep_s = known.time.off_core_s - known.time.waited_s;
        known.time.off_core_s = 0;
        store(known);
    }
    untold_.clear();
}

void CoreTimeTally::end_lane() {
    for (const Known& known : untold_) store(known);
    untold_.clear();
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
