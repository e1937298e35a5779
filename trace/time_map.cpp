#include "trace/time_map.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

constexpr double most_time = 9e18;

double ticks_between(Ticks from, Ticks to) { return static_cast<double>(static_cast<std::int64_t>(to - from)); }

Ticks add_ticks(Ticks tick, double ticks) {
    return tick + static_cast<Ticks>(std::llround(std::clamp(ticks, -most_time, most_time)));
}

bool is_width(double ns) { return ns >= 0 && std::isfinite(ns); }

// The last knot at or before the tick, or the first.
std::size_t knot_before(const std::vector<ClockKnot>& knots, Ticks tick) {
    const auto after = std::upper_bound(knots.begin(), knots.end(), tick,
                                        [](Ticks t, const ClockKnot& knot) { return t < knot.tick; });
    return after == knots.begin() ? 0 : static_cast<std::size_t>(after - knots.begin()) - 1;
}

} // namespace

double ns_from(GlobalTime from, GlobalTime to) { return ns_between(from, to) / time_units_per_ns; }

GlobalTime time_of_ns(double ns) { return add_ns(0, ns); }

GlobalTime add_ns(GlobalTime time, double ns) {
    const double units = std::nearbyint(ns * time_units_per_ns);
    const double sum = static_cast<double>(time) + units;
    if (!(std::abs(sum) < most_time)) return static_cast<GlobalTime>(sum < 0 ? -most_time : most_time);
    return std::abs(units) < most_time ? time + static_cast<GlobalTime>(units) : static_cast<GlobalTime>(sum);
}

GlobalTime TimeMap::at(Ticks tick) const { return at(tick, knot_before(knots, tick)); }

// Hermite's cubic in the form that adds to the chord, so that nothing large cancels: with chord slope S and
// u = (t - l) / h,   y = y_l + S (t - l) + h u (1 - u) [ (1 - u) (f_l - S) - u (f_r - S) ]
GlobalTime TimeMap::at(Ticks tick, std::size_t i) const {
    const ClockKnot& left = knots[i];
    const double ticks = ticks_between(left.tick, tick);
    if (ticks < 0 || i + 1 == knots.size()) return add_ns(left.time, left.rate * ticks);
    const ClockKnot& right = knots[i + 1];
    const double width = ticks_between(left.tick, right.tick);
    const double chord = ns_from(left.time, right.time) / width;
    const double u = ticks / width;
    const double bend = width * u * (1 - u) * ((1 - u) * (left.rate - chord) - u * (right.rate - chord));
    return add_ns(left.time, chord * ticks + bend);
}

double TimeMap::half_width_ns(Ticks tick) const {
    const std::size_t i = knot_before(knots, tick);
    const ClockKnot& left = knots[i];
    const double ticks = ticks_between(left.tick, tick);
    if (ticks < 0 || i + 1 == knots.size()) return left.half_width_ns + std::abs(ticks) * left.rate * drift_ppm * 1e-6;
    const ClockKnot& right = knots[i + 1];
    const double u = ticks / ticks_between(left.tick, right.tick);
    return left.half_width_ns + u * (right.half_width_ns - left.half_width_ns) + 4 * u * (1 - u) * left.bulge_ns;
}

Ticks TimeMap::tick_at(GlobalTime time) const {
    const auto after = std::upper_bound(knots.begin(), knots.end(), time,
                                        [](GlobalTime t, const ClockKnot& knot) { return t < knot.time; });
    if (after == knots.begin() || after == knots.end()) {
        const ClockKnot& end = after == knots.begin() ? knots.front() : knots.back();
        const Ticks tick = add_ticks(end.tick, ns_from(end.time, time) / end.rate);
        return add_ticks(tick, ns_from(at(tick), time) / end.rate); // what the first division rounded away
    }
    Ticks early = std::prev(after)->tick; // at(early) <= time < at(late)
    Ticks late = after->tick;
    while (late - early > 1) {
        const Ticks middle = early + (late - early) / 2;
        (at(middle) <= time ? early : late) = middle;
    }
    return ns_from(at(early), time) <= ns_from(time, at(late)) ? early : late;
}

bool TimeMap::is_sound() const {
    if (knots.empty() || !is_width(drift_ppm) || static_cast<std::size_t>(fit) >= fit_names.size()) return false;
    for (std::size_t i = 0; i < knots.size(); ++i) {
        const ClockKnot& knot = knots[i];
        if (!(knot.rate > least_ns_per_tick && knot.rate < most_ns_per_tick)) return false;
        if (!is_width(knot.half_width_ns) || !is_width(knot.bulge_ns)) return false;
        if (!(std::abs(static_cast<double>(knot.time)) < most_time)) return false;
        if (i == 0) continue;
        const ClockKnot& before = knots[i - 1];
        if (knot.tick <= before.tick || knot.tick - before.tick > ~Ticks{0} >> 1 || knot.time <= before.time)
            return false;
        // Fritsch and Carlson (1980): a cubic rises when no end slope is above three times the chord's.
        const double chord = ns_from(before.time, knot.time) / ticks_between(before.tick, knot.tick);
        if (knot.rate > 3 * chord || before.rate > 3 * chord) return false;
    }
    return std::all_of(notes.begin(), notes.end(), [](const ClockNote& note) {
        return static_cast<std::size_t>(note.trouble) < clock_troubles.size() && std::isfinite(note.amount_ns);
    });
}

TimeMap straight(Ticks tick, GlobalTime time, double ns_per_tick) {
    return {.fit = Fit::raw, .knots = {{.tick = tick, .time = time, .rate = ns_per_tick}}, .drift_ppm = 0, .notes = {}};
}

} // namespace tactus
