#include "trace/shift_map.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

__extension__ typedef __int128 Wide; // products of a tick and a shift

constexpr GlobalTime most_shift = GlobalTime{1} << 61;

} // namespace

std::size_t ShiftMap::before(Ticks tick) const {
    const auto after = std::upper_bound(knots.begin(), knots.end(), tick,
                                        [](Ticks t, const ShiftKnot& knot) { return t < knot.tick; });
    return after == knots.begin() ? 0 : static_cast<std::size_t>(after - knots.begin()) - 1;
}

ShiftPiece ShiftMap::piece(Ticks tick) const {
    if (knots.empty()) return {.begin = tick, .end = tick - 1};
    const std::size_t i = before(tick);
    const ShiftKnot& left = knots[i];
    ShiftPiece piece{.begin = left.tick, .end = ~Ticks{0}, .tick = left.tick, .shift = left.shift};
    if (tick < left.tick) { // before all knots
        piece.begin = 0;
        piece.end = left.tick;
    } else if (i + 1 < knots.size()) {
        const ShiftKnot& right = knots[i + 1];
        piece.end = right.tick;
        piece.rise = right.shift - left.shift;
        piece.run = static_cast<std::int64_t>(right.tick - left.tick);
    }
    return piece;
}

GlobalTime ShiftPiece::wide_quotient(std::int64_t ticks) const {
    const Wide product = Wide{rise} * ticks;
    const Wide quotient = product / run;
    return static_cast<GlobalTime>(product < 0 && quotient * run != product ? quotient - 1 : quotient);
}

bool ShiftMap::is_sound() const {
    if (!half_widths.empty() && half_widths.size() != knots.size()) return false;
    if (std::any_of(half_widths.begin(), half_widths.end(), [](double ns) { return !(ns >= 0 && std::isfinite(ns)); }))
        return false;
    for (std::size_t i = 0; i < knots.size(); ++i) {
        if (knots[i].shift > most_shift || knots[i].shift < -most_shift) return false;
        if (i > 0 && (knots[i].tick <= knots[i - 1].tick || knots[i].tick - knots[i - 1].tick > ~Ticks{0} >> 1))
            return false;
    }
    return true;
}

bool ShiftMapMaker::Corridor::reaches(const ShiftKnot& point) const {
    const Wide rise = Wide{point.shift} - from_.shift;
    const Wide run = Wide{point.tick} - from_.tick;
    return (!low_.set || rise * low_.run >= low_.rise * run) && (!high_.set || rise * high_.run < high_.rise * run);
}

bool ShiftMapMaker::Corridor::add(const ShiftKnot& point) {
    const Wide rise = Wide{point.shift} - from_.shift;
    const Wide run = Wide{point.tick} - from_.tick;
    if (!low_.set || rise * low_.run > low_.rise * run) low_ = {rise, run, true};
    if (!high_.set || (rise + 1) * high_.run < high_.rise * run) high_ = {rise + 1, run, true};
    return low_.rise * high_.run < high_.rise * low_.run;
}

void ShiftMapMaker::put_knot(const ShiftKnot& knot) {
    map_.knots.push_back(knot);
    corridor_ = Corridor{knot};
    last_.reset();
    next_ = 0;
}

void ShiftMapMaker::add(const ShiftKnot& point) {
    if (map_.knots.empty()) return put_knot(point);
    behind_.push_back(point);
    go_on();
}

void ShiftMapMaker::go_on() {
    while (next_ < behind_.size()) {
        const ShiftKnot point = behind_[next_++];
        if (corridor_.reaches(point)) { // the first point after a knot always is
            last_ = point;
            behind_.erase(behind_.begin(), behind_.begin() + static_cast<std::ptrdiff_t>(next_));
            next_ = 0;
        }
        if (!corridor_.add(point)) put_knot(*last_);
    }
}

ShiftMap ShiftMapMaker::take() {
    while (last_) {
        put_knot(*last_);
        go_on();
    }
    const auto nothing = [](const ShiftKnot& knot) { return knot.shift == 0; };
    if (std::all_of(map_.knots.begin(), map_.knots.end(), nothing)) map_ = {};
    return std::move(map_);
}

GlobalTime ProcessClock::at(Ticks tick) const {
    return sum_of(sum_of(fitted.at(tick), refined.at(tick)), corrected.at(tick));
}

double ProcessClock::half_width_ns(Ticks tick) const {
    const double moved = std::abs(to_ns(corrected.at(tick)));
    if (refined.half_widths.empty()) return fitted.half_width_ns(tick) + moved;
    const std::size_t i = refined.before(tick);
    const std::size_t next = std::min(i + 1, refined.half_widths.size() - 1);
    return std::max(refined.half_widths[i], refined.half_widths[next]) + moved;
}

Ticks ProcessClock::tick_at(GlobalTime time) const {
    if (refined.knots.empty() && corrected.knots.empty()) return fitted.tick_at(time);
    // The shifts change slowly, so the search goes outward from a first guess.
    Ticks early = fitted.tick_at(time);
    Ticks late = early;
    for (Ticks step = 1; at(early) > time && early > step; step *= 2) early -= step;
    for (Ticks step = 1; at(late) <= time && late < ~Ticks{0} - step; step *= 2) late += step;
    while (late - early > 1) {
        const Ticks middle = early + (late - early) / 2;
        (at(middle) <= time ? early : late) = middle;
    }
    return ns_from(at(early), time) <= ns_from(time, at(late)) ? early : late;
}

} // namespace tactus
