// From a rank's raw ticks to global time, with how far that may be off. Pure values, in the rank's file and beside it.
//
// Global time is the time of rank 0's clock: whole eighths of a nanosecond since rank 0's start anchor (36 years
// either way; finer than a tick of any timer, so that different ticks keep different times).
#pragma once

#include "base/options/clock_choices.hpp"
#include "base/ticks.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>
#include <x86intrin.h>

namespace tactus {

using GlobalTime = std::int64_t;
constexpr double time_units_per_ns = 8;
constexpr double to_ns(GlobalTime time) { return static_cast<double>(time) / time_units_per_ns; }
// Any two times: those of a damaged file may lie further apart than a GlobalTime can say.
double ns_from(GlobalTime from, GlobalTime to);
// Clamped to what a GlobalTime can hold.
inline GlobalTime add_ns(GlobalTime time, double ns) {
    constexpr double most = 9e18;
    const double units = ns * time_units_per_ns;
    const double sum = static_cast<double>(time) + units;
    if (!(std::abs(sum) < most)) return static_cast<GlobalTime>(sum < 0 ? -most : most);
    // To the nearest, as the processor rounds.
    return std::abs(units) < most ? time + _mm_cvtsd_si64(_mm_set_sd(units)) : static_cast<GlobalTime>(sum);
}
inline GlobalTime time_of_ns(double ns) { return add_ns(0, ns); }
// What is reckoned with: nine years either way, so that differences, and what is added to them, can be said.
constexpr GlobalTime within_reach(GlobalTime time) {
    constexpr GlobalTime latest = GlobalTime{1} << 61;
    return time > latest ? latest : time < -latest ? -latest : time;
}

// What is not as it should be with a rank's clock.
enum class ClockTrouble : std::uint8_t {
    no_round,       // nothing was measured: the host's own date is all there is
    one_round,      // an offset, no drift
    no_time,        // rounds at the same instant
    not_increasing, // rounds in which one clock ran back
    step,           // the clock jumped by `amount_ns` between two rounds
    contradiction,  // no offset agrees with all samples of a round; `amount_ns` are missing
    own_clock,      // another clock than the host's other ranks, against what was found at the start
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
    Ticks tick = 0;       // where; of a step: the middle between the rounds
    double amount_ns = 0; // of a step: positive when the rank's clock jumped ahead
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
    double rate = 1;          // nanoseconds of global time a tick, here
    double half_width_ns = 0; // the truth lies within this
    double bulge_ns = 0;      // how much wider it gets in the middle between this knot and the next
    static constexpr void fields(auto& self, auto&& field) {
        field("tick", self.tick);
        field("time", self.time);
        field("rate", self.rate);
        field("half_width_ns", self.half_width_ns);
        field("bulge_ns", self.bulge_ns);
    }
};

// A map where one formula holds: between two knots, or outside of all. Hermite's cubic in the form that adds to the
// chord, so that nothing large cancels: with chord slope S, d = t - l and u = d / h,
//   y = y_l + S d + d (1 - u) [ (1 - u) (f_l - S) - u (f_r - S) ]
struct TimePiece {
    Ticks begin = 0; // holds from here
    Ticks end = 0;   // until before here; equal: nowhere
    Ticks tick = 0;
    GlobalTime time = 0;
    double slope = 1;
    double per_width = 0;
    double bend_left = 0;
    double bend_right = 0;

    [[nodiscard]] bool holds(Ticks t) const { return t - begin < end - begin; }
    [[nodiscard]] GlobalTime at(Ticks t) const {
        const auto ticks = static_cast<double>(static_cast<std::int64_t>(t - tick));
        const double u = ticks * per_width;
        return add_ns(time, slope * ticks + ticks * (1 - u) * ((1 - u) * bend_left - u * bend_right));
    }
};

// Cubic between knots, with continuous rate; straight on outside. Strictly increasing.
struct TimeMap {
    Fit fit{};
    std::vector<ClockKnot> knots; // at least one; ticks and times strictly increase
    double drift_ppm = 0;         // by which the half-width grows outside of the knots: nanoseconds a millisecond
    std::vector<ClockNote> notes;

    [[nodiscard]] GlobalTime at(Ticks tick) const { return piece(tick).at(tick); }
    // That which holds at the tick.
    [[nodiscard]] TimePiece piece(Ticks tick) const;
    [[nodiscard]] double half_width_ns(Ticks tick) const;
    // The tick at which this clock showed `time`: the nearest one.
    [[nodiscard]] Ticks tick_at(GlobalTime time) const;
    // Whether a file may say so.
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
