// What is added to a rank's time by its ticks: whole units of global time at knots, straight lines in between, level
// outside. What messages refined, and what ECLC corrected, are one each (docs/format.md). Pure values.
#pragma once

#include "base/ticks.hpp"
#include "trace/time_map.hpp"

#include <cstdint>
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

struct ShiftMap {
    std::vector<ShiftKnot> knots; // ticks strictly increase; none: nothing is added
    // By knot, in nanoseconds: the truth lies that near to what comes of it. None: nothing is said of that.
    std::vector<double> half_widths = {};

    [[nodiscard]] GlobalTime at(Ticks tick) const { return at(tick, before(tick)); }
    // Between knot i and the next; i is the last that is not behind the tick, or 0.
    [[nodiscard]] GlobalTime at(Ticks tick, std::size_t i) const;
    [[nodiscard]] std::size_t before(Ticks tick) const;
    [[nodiscard]] bool is_sound() const;

    static constexpr void fields(auto& self, auto&& field) {
        field("knots", self.knots);
        field("half_widths", self.half_widths);
    }
};

// The knots of `points`, whose ticks increase, that are needed to give the shift of every one of them exactly. O(n).
ShiftMap shift_map_through(const std::vector<ShiftKnot>& points);

// A rank's clock, in the three steps in which it was made; what is added by the last two may be nothing.
struct ProcessClock {
    TimeMap fitted;     // from measured rounds
    ShiftMap refined;   // by the run's own messages
    ShiftMap corrected; // by ECLC: no message arrives before it was sent

    [[nodiscard]] GlobalTime at(Ticks tick) const;
    // The truth lies within this, by what the rounds say or, where they refined it, the messages.
    [[nodiscard]] double half_width_ns(Ticks tick) const;
    // The tick at which this clock showed `time`: the nearest one.
    [[nodiscard]] Ticks tick_at(GlobalTime time) const;
};

// A clock read at ticks that mostly increase, in a few nanoseconds each. `clock` outlives it.
class ClockCursor {
  public:
    explicit ClockCursor(const ProcessClock& clock) : clock_{&clock} {}
    [[nodiscard]] GlobalTime at(Ticks tick); // what clock.at(tick) is

  private:
    template <class Knots> static std::size_t move(const Knots& knots, std::size_t i, Ticks tick);

    const ProcessClock* clock_;
    std::size_t fitted_ = 0;
    std::size_t refined_ = 0;
    std::size_t corrected_ = 0;
};

} // namespace tactus
