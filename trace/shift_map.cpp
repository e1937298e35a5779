#include "trace/shift_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {
namespace {

__extension__ typedef __int128 Wide; // products of a tick and a shift

GlobalTime floor_of(Wide dividend, Wide divisor) { // the divisor is positive
    Wide quotient = dividend / divisor;
    if (dividend % divisor < 0) --quotient;
    return static_cast<GlobalTime>(quotient);
}

GlobalTime sum_of(GlobalTime a, GlobalTime b) { // of a damaged file they may be anything
    GlobalTime sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? std::numeric_limits<GlobalTime>::min() : std::numeric_limits<GlobalTime>::max();
}

constexpr GlobalTime most_shift = GlobalTime{1} << 61;

// The slopes from one point to those behind it between which a line gives, rounded down, each of them exactly:
// shift <= from + slope x ticks < shift + 1.
class Corridor {
  public:
    explicit Corridor(const ShiftKnot& from) : from_{from} {}

    // Whether the straight line to this point, which is the next one, goes through all before it.
    [[nodiscard]] bool reaches(const ShiftKnot& point) const {
        const Wide rise = Wide{point.shift} - from_.shift;
        const Wide run = Wide{point.tick} - from_.tick;
        return (!low_.set || rise * low_.run >= low_.rise * run) && (!high_.set || rise * high_.run < high_.rise * run);
    }
    // False: no further point can be reached.
    bool add(const ShiftKnot& point) {
        const Wide rise = Wide{point.shift} - from_.shift;
        const Wide run = Wide{point.tick} - from_.tick;
        if (!low_.set || rise * low_.run > low_.rise * run) low_ = {rise, run, true};
        if (!high_.set || (rise + 1) * high_.run < high_.rise * run) high_ = {rise + 1, run, true};
        return low_.rise * high_.run < high_.rise * low_.run;
    }

  private:
    struct Slope {
        Wide rise = 0;
        Wide run = 1;
        bool set = false;
    };
    ShiftKnot from_;
    Slope low_;  // at least
    Slope high_; // less than
};

} // namespace

std::size_t ShiftMap::before(Ticks tick) const {
    const auto after = std::upper_bound(knots.begin(), knots.end(), tick,
                                        [](Ticks t, const ShiftKnot& knot) { return t < knot.tick; });
    return after == knots.begin() ? 0 : static_cast<std::size_t>(after - knots.begin()) - 1;
}

GlobalTime ShiftMap::at(Ticks tick, std::size_t i) const {
    if (knots.empty()) return 0;
    const ShiftKnot& left = knots[i];
    if (tick <= left.tick || i + 1 == knots.size()) return left.shift;
    const ShiftKnot& right = knots[i + 1];
    if (left.shift == right.shift) return left.shift;
    return left.shift +
           floor_of((Wide{right.shift} - left.shift) * Wide{tick - left.tick}, Wide{right.tick - left.tick});
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

ShiftMap shift_map_through(const std::vector<ShiftKnot>& points) {
    ShiftMap map;
    if (std::all_of(points.begin(), points.end(), [](const ShiftKnot& point) { return point.shift == 0; })) return map;
    for (std::size_t first = 0; first < points.size();) {
        map.knots.push_back(points[first]);
        if (first + 1 == points.size()) break;
        Corridor corridor{points[first]};
        std::size_t last = first + 1; // the next point is always reached
        for (std::size_t i = first + 1; i < points.size(); ++i) {
            if (corridor.reaches(points[i])) last = i;
            if (!corridor.add(points[i])) break;
        }
        first = last;
    }
    return map;
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
    // What is added changes slowly: a first guess, and from there outward.
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

template <class Knots> std::size_t ClockCursor::move(const Knots& knots, std::size_t i, Ticks tick) {
    while (i > 0 && tick < knots[i].tick) --i;
    while (i + 1 < knots.size() && tick >= knots[i + 1].tick) ++i;
    return i;
}

GlobalTime ClockCursor::at(Ticks tick) {
    fitted_ = move(clock_->fitted.knots, fitted_, tick);
    refined_ = move(clock_->refined.knots, refined_, tick);
    corrected_ = move(clock_->corrected.knots, corrected_, tick);
    return sum_of(sum_of(clock_->fitted.at(tick, fitted_), clock_->refined.at(tick, refined_)),
                  clock_->corrected.at(tick, corrected_));
}

} // namespace tactus
