// A shift map says what is added to a rank's time, as a function of its ticks: whole units of global time at knots,
// straight lines between them, and constants outside. The refinement by messages is one such map, and the correction by
// ECLC is another (docs/format.md). Pure values.
#pragma once

#include "base/ticks.hpp"
#include "trace/time_map.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tactus {

struct ShiftKnot {
    Ticks tick = 0;
    GlobalTime shift = 0;
    bool operator==(const ShiftKnot&) const = default;
    static constexpr void fields(auto& self, auto&& field) {
        field("tick", self.tick);
        field("shift", self.shift);
    }
};

// The part of a map in which one line holds: shift + floor(rise x (t - tick) / run).
struct ShiftPiece {
    Ticks begin = 0; // holds from here
    Ticks end = 0;   // up to, but without, this tick; equal to begin: nowhere
    Ticks tick = 0;
    GlobalTime shift = 0;
    GlobalTime rise = 0;
    std::int64_t run = 1;

    [[nodiscard]] bool holds(Ticks t) const { return t - begin < end - begin; }
    [[nodiscard]] GlobalTime at(Ticks t) const {
        if (rise == 0) return shift;
        const auto ticks = static_cast<std::int64_t>(t - tick);
        std::int64_t product = 0;
        if (__builtin_mul_overflow(rise, ticks, &product)) return shift + wide_quotient(ticks);
        const std::int64_t quotient = product / run;
        return shift + quotient - (product < 0 && quotient * run != product ? 1 : 0);
    }

  private:
    [[nodiscard]] GlobalTime wide_quotient(std::int64_t ticks) const;
};

struct ShiftMap {
    std::vector<ShiftKnot> knots; // ticks strictly increase; without knots nothing is added
    // One for each knot, in nanoseconds: the true time lies within this distance of the shifted time. Empty when that
    // is not known.
    std::vector<double> half_widths = {};

    [[nodiscard]] GlobalTime at(Ticks tick) const { return piece(tick).at(tick); }
    // Gives the piece that holds at the tick.
    [[nodiscard]] ShiftPiece piece(Ticks tick) const;
    // Gives the index of the last knot at or before the tick, or of the first knot.
    [[nodiscard]] std::size_t before(Ticks tick) const;
    [[nodiscard]] bool is_sound() const;

    static constexpr void fields(auto& self, auto&& field) {
        field("knots", self.knots);
        field("half_widths", self.half_widths);
    }
};

// Chooses, among points, the knots that are needed to give the shift of every point exactly. Mostly O(n); it remembers
// only the points after the last possible knot.
class ShiftMapMaker {
  public:
    void add(const ShiftKnot& point); // ticks increase
    ShiftMap take();                  // the map through all points; empty when no point has a shift

  private:
    // The range of slopes with which a line from one point gives each later point exactly when rounded down:
    // shift <= from + slope x ticks < shift + 1.
    class Corridor {
      public:
        explicit Corridor(const ShiftKnot& from) : from_{from} {}
        // Whether the straight line to this point, which is the next one, goes through all points before it.
        [[nodiscard]] bool reaches(const ShiftKnot& point) const;
        // Narrows the range by this point. False when no further point can be reached.
        bool add(const ShiftKnot& point);

      private:
        __extension__ typedef __int128 Wide; // products of a tick and a shift
        struct Slope {
            Wide rise = 0;
            Wide run = 1;
            bool set = false;
        };
        ShiftKnot from_;
        Slope low_;  // at least
        Slope high_; // less than
    };

    void go_on();
    void put_knot(const ShiftKnot& knot);

    ShiftMap map_;
    Corridor corridor_{{}};
    std::optional<ShiftKnot> last_; // the farthest point that a line from the last knot reaches
    std::vector<ShiftKnot> behind_; // the points after last_, or after the last knot
    std::size_t next_ = 0;          // index in behind_ of the next point to look at
};

// A rank's clock, in the three steps in which it was made. The last two may add nothing.
struct ProcessClock {
    TimeMap fitted;     // from measured rounds
    ShiftMap refined;   // by the run's own messages
    ShiftMap corrected; // by ECLC: no message arrives before it was sent

    [[nodiscard]] GlobalTime at(Ticks tick) const;
    // The true time lies within this distance, by the measured rounds or, where messages refined the clock, by these.
    [[nodiscard]] double half_width_ns(Ticks tick) const;
    // Gives the tick whose time is nearest to `time`.
    [[nodiscard]] Ticks tick_at(GlobalTime time) const;
};

// The sum is clamped, since the numbers of a damaged file may be anything.
inline GlobalTime sum_of(GlobalTime a, GlobalTime b) {
    GlobalTime sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? std::numeric_limits<GlobalTime>::min() : std::numeric_limits<GlobalTime>::max();
}

// Reads a map at ticks that mostly lie near each other, in a few nanoseconds each. `map` outlives the cursor.
template <class Map> class MapCursor {
  public:
    explicit MapCursor(const Map& map) : map_{&map} {}
    [[nodiscard, gnu::always_inline]] GlobalTime at(Ticks tick) { // equals map.at(tick)
        if (!piece_.holds(tick)) [[unlikely]]
            piece_ = map_->piece(tick);
        return piece_.at(tick);
    }

  private:
    const Map* map_;
    decltype(std::declval<const Map&>().piece(0)) piece_{};
};

// The same for a whole clock.
class ClockCursor {
  public:
    explicit ClockCursor(const ProcessClock& clock)
        : fitted_{clock.fitted}, refined_{clock.refined},
          corrected_{clock.corrected}, shifted_{!clock.refined.knots.empty() || !clock.corrected.knots.empty()} {}
    [[nodiscard, gnu::always_inline]] GlobalTime at(Ticks tick) {
        return shifted_ ? at_shifted(tick) : fitted_.at(tick);
    }

  private:
    [[gnu::noinline]] GlobalTime at_shifted(Ticks tick) {
        return sum_of(sum_of(fitted_.at(tick), refined_.at(tick)), corrected_.at(tick));
    }

    MapCursor<TimeMap> fitted_;
    MapCursor<ShiftMap> refined_;
    MapCursor<ShiftMap> corrected_;
    bool shifted_;
};

} // namespace tactus
