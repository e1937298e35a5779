// Maps a rank's raw ticks to global time, with a bound on the error. Pure values, which the rank's file stores.
//
// Global time is the time of rank 0's clock: whole eighths of a nanosecond since rank 0's start anchor (36 years
// either way; finer than a tick of any timer, so that different ticks keep different times).
#pragma once

#include "base/options/clock_choices.hpp"
#include "base/ticks.hpp"
#include "processor.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tactus {

using GlobalTime = std::int64_t;
constexpr double time_units_per_ns = 8;
constexpr double to_ns(GlobalTime time) { return static_cast<double>(time) / time_units_per_ns; }
// Takes any two times: those of a damaged file may differ by more than a GlobalTime can hold.
double ns_from(GlobalTime from, GlobalTime to);
// Nine years: sums and differences of times within this reach do not overflow.
constexpr GlobalTime time_reach = GlobalTime{1} << 61;
constexpr GlobalTime within_reach(GlobalTime time) {
    return time > time_reach ? time_reach : time < -time_reach ? -time_reach : time;
}

// What add_ns() gives when a number may be beyond reach.
GlobalTime add_far(GlobalTime time, double units);
// The sum is clamped to what a GlobalTime can hold.
[[gnu::always_inline]] inline GlobalTime add_ns(GlobalTime time, double ns) {
    const double units = ns * time_units_per_ns;
    if (!(std::abs(units) < static_cast<double>(time_reach)) || within_reach(time) != time) [[unlikely]]
        return add_far(time, units);
    return time + processor::nearest(units);
}
inline GlobalTime time_of_ns(double ns) { return add_ns(0, ns); }

// What is wrong with a rank's clock.
enum class ClockTrouble : std::uint8_t {
    no_round,       // nothing was measured: only the host's own date is known
    one_round,      // an offset is known, but no drift
    no_time,        // rounds at the same instant
    not_increasing, // rounds in which one clock ran back
    step,           // the clock jumped by `amount_ns` between two rounds
    contradiction,  // no offset agrees with all samples of a round; `amount_ns` are missing
    own_clock,      // its clock differs from that of the host's other ranks, although it seemed the same at the start
    no_master,      // the rank it was measured against has no clock
};
struct ClockTroubleText {
    const char* name;
    const char* meaning;
};
inline constexpr auto clock_troubles = std::to_array<ClockTroubleText>(
    {{"no_round", "its clock was never measured; its host's date is taken as it is"},
     {"one_round", "its clock was measured once, or too little apart for a drift: an offset without one"},
     {"no_time", "rounds at the same instant, of which one was kept"},
     {"not_increasing", "rounds between which a clock ran back or stood still, and which were left out"},
     {"step", "its clock jumped between two rounds"},
     {"contradiction", "a round whose samples no offset agrees with"},
     {"own_clock", "its clock is not that of the host's other ranks, as it seemed at the start"},
     {"no_master", "the rank that its clock was measured against is missing from the trace"}});

struct ClockNote {
    ClockTrouble trouble{};
    Ticks tick = 0;       // where it happened; for a step, the middle between the rounds
    double amount_ns = 0; // for a step, positive when the rank's clock jumped ahead
    std::uint64_t count = 1;
    static constexpr void fields(auto& self, auto&& field) {
        field("trouble", self.trouble);
        field("tick", self.tick);
        field("amount_ns", self.amount_ns);
        field("count", self.count);
    }
};

struct ClockKnot {
    Ticks tick = 0;
    GlobalTime time = 0;
    double rate = 1;          // nanoseconds of global time per tick, at this knot
    double half_width_ns = 0; // the true time lies within this distance
    double bulge_ns = 0;      // how much wider that gets in the middle between this knot and the next
    static constexpr void fields(auto& self, auto&& field) {
        field("tick", self.tick);
        field("time", self.time);
        field("rate", self.rate);
        field("half_width_ns", self.half_width_ns);
        field("bulge_ns", self.bulge_ns);
    }
};

// The part of a map in which one formula holds: between two knots, or outside of all. The formula is Hermite's cubic,
// written as a sum with the chord so that no large terms cancel: with chord slope S, d = t - l and u = d / h,
//   y = y_l + S d + d (1 - u) [ (1 - u) (f_l - S) - u (f_r - S) ]
struct TimePiece {
    Ticks begin = 0; // holds from here
    Ticks end = 0;   // up to, but without, this tick; equal to begin: nowhere
    Ticks tick = 0;
    GlobalTime time = 0;
    double slope = 1;
    double per_width = 0;
    double bend_left = 0;
    double bend_right = 0;

    [[nodiscard]] bool holds(Ticks t) const { return t - begin < end - begin; }
    [[nodiscard, gnu::always_inline]] GlobalTime at(Ticks t) const {
        const auto ticks = static_cast<double>(static_cast<std::int64_t>(t - tick));
        const double u = ticks * per_width;
        return add_ns(time, slope * ticks + ticks * (1 - u) * ((1 - u) * bend_left - u * bend_right));
    }
};

// The map is cubic between knots, with a continuous rate, and straight outside of them. It increases strictly.
struct TimeMap {
    Fit fit{};
    std::vector<ClockKnot> knots; // at least one; ticks and times strictly increase
    double drift_ppm = 0;         // growth of the half-width outside of the knots, in nanoseconds per millisecond
    std::vector<ClockNote> notes;

    [[nodiscard]] GlobalTime at(Ticks tick) const { return piece(tick).at(tick); }
    // Gives the piece that holds at the tick.
    [[nodiscard]] TimePiece piece(Ticks tick) const;
    [[nodiscard]] double half_width_ns(Ticks tick) const;
    // Gives the tick whose time is nearest to `time`.
    [[nodiscard]] Ticks tick_at(GlobalTime time) const;
    // False for a map that only a damaged file can hold.
    [[nodiscard]] bool is_sound() const;

    static constexpr void fields(auto& self, auto&& field) {
        field("fit", self.fit);
        field("knots", self.knots);
        field("drift_ppm", self.drift_ppm);
        field("notes", self.notes);
    }
};

// The straight map through one point.
TimeMap straight(Ticks tick, GlobalTime time, double ns_per_tick);

} // namespace tactus
