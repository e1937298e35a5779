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

// Gives the index of the last knot at or before the tick, or of the first knot.
std::size_t knot_before(const std::vector<ClockKnot>& knots, Ticks tick) {
    const auto after = std::upper_bound(knots.begin(), knots.end(), tick,
                                        [](Ticks t, const ClockKnot& knot) { return t < knot.tick; });
    return after == knots.begin() ? 0 : static_cast<std::size_t>(after - knots.begin()) - 1;
}

} // namespace

GlobalTime add_far(GlobalTime time, double units) {
    constexpr double most = 9e18;
    const double sum = static_cast<double>(time) + units;
    if (!(std::abs(sum) < most)) return static_cast<GlobalTime>(sum < 0 ? -most : most);
    return std::abs(units) < most ? time + processor::nearest(units) : static_cast<GlobalTime>(sum);
}

double ns_from(GlobalTime from, GlobalTime to) { return ns_between(from, to) / time_units_per_ns; }

TimePiece TimeMap::piece(Ticks tick) const {
    const std::size_t i = knot_before(knots, tick);
    const ClockKnot& left = knots[i];
    TimePiece piece{.begin = tick, .end = tick + 1, .tick = left.tick, .time = left.time, .slope = left.rate};
    if (ticks_between(left.tick, tick) < 0) return piece; // before all knots, which is rare
    piece.begin = left.tick;
    piece.end = left.tick + (~Ticks{0} >> 1);
    if (i + 1 == knots.size()) return piece;
    const ClockKnot& right = knots[i + 1];
    const double width = ticks_between(left.tick, right.tick);
    piece.end = right.tick;
    piece.slope = ns_from(left.time, right.time) / width;
    piece.per_width = 1 / width;
    piece.bend_left = left.rate - piece.slope;
    piece.bend_right = right.rate - piece.slope;
    return piece;
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
        return add_ticks(tick, ns_from(at(tick), time) / end.rate); // corrects the rounding of the first division
    }
    const ClockKnot& left = *std::prev(after);
    Ticks early = left.tick; // at(early) <= time < at(late)
    Ticks late = after->tick;
    const auto look_at = [&](Ticks tick) {
        if (tick > early && tick < late) (at(tick) <= time ? early : late) = tick;
    };
    // Real clocks are so straight that three steps along the chord come to the tick; bisection makes sure.
    const double ticks_per_ns = ticks_between(early, late) / ns_from(left.time, after->time);
    Ticks near = early;
    for (int step = 0; step < 3; ++step) near = add_ticks(near, ns_from(at(near), time) * ticks_per_ns);
    for (const Ticks tick : {near, near - 1, near + 1}) look_at(tick);
    while (late - early > 1) look_at(early + (late - early) / 2);
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
