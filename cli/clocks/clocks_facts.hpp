// The clocks of a trace in numbers: what was measured, what each fit makes of it, and which messages it puts right. One
// thread.
//
// Offsets and drifts are what is to be added to a rank's own time: a clock that is ahead has a negative offset, one
// that runs fast a negative drift. Its own time are its ticks by the nominal rate, from the date that its host had at
// the start.
#pragma once

#include "clocksync/trace_clocks.hpp"
#include "postproc/replay/messages.hpp"

#include <array>
#include <string>
#include <vector>

namespace tactus {

inline constexpr std::array compared_fits = {Fit::interval, Fit::itac};

// A rank's clock by one fit. Its run is from its first anchor to its last anchor or record.
struct ClockNumbers {
    bool known = false;       // false: its host's date, for want of measurements
    double offset_ns = 0;     // at the start
    double drift_ppm = 0;     // mean of the run
    double half_width_ns = 0; // median of the run
    double half_width_start_ns = 0;
    double half_width_end_ns = 0;
    double half_width_worst_ns = 0;
};

struct ClockRound {
    FittedRound fitted;
    bool usable = false;  // false: none of its samples was
    double time_s = 0;    // global
    double offset_ns = 0; // by this round alone
};

struct TimedNote {
    ClockNote note;
    double time_s = 0;
};

struct RankClock {
    std::uint32_t rank = 0;
    std::string host; // as it may be printed
    Timer timer{};
    bool placed = false; // false: the trace does not say whose clock it is compared with
    ClockPlace place;
    ClockNumbers numbers; // by the fit that the trace was put on
    std::array<ClockNumbers, compared_fits.size()> fits;
    ClockNumbers refined;         // by what ranks did together, where nothing was measured
    double fit_difference_ns = 0; // at most, over the run
    std::vector<ClockRound> rounds;
    std::size_t rejected = 0;
    std::vector<TimedNote> notes; // its own; a shared clock's are with its master
    [[nodiscard]] const char* relation() const;
};

// Measured clocks so many exchanges away from rank 0.
struct ClockLevel {
    std::uint32_t level = 0;
    std::size_t clocks = 0;
    double median_ns = 0; // of the half-widths
    double worst_ns = 0;  // anywhere in the run
};

// Messages received before they were sent.
struct ReversedPairs {
    std::uint64_t raw = 0; // by the hosts' dates
    std::uint64_t fitted = 0;
    std::array<std::uint64_t, compared_fits.size()> fits{};
    MessageCounts messages;
};

struct ClocksFacts {
    Fit fit{};
    bool measured = false; // false: nothing to fit
    bool stored = false;   // the time maps are the run's own
    std::vector<RankClock> ranks;
    std::vector<ClockLevel> levels;
    ReversedPairs reversed;

    [[nodiscard]] std::size_t count(ClockRelation relation) const;
};

struct ClockRun {
    Ticks first = 0;
    Ticks last = 0;
    // Moments from first (0) to last, the same distance apart.
    [[nodiscard]] Ticks moment(std::size_t i, std::size_t of) const;
};
ClockRun run_of(const RankFile& file);

// Of a trace whose clocks are set; `wanted` as for put_on_one_clock.
ClocksFacts clocks_facts(const Trace& trace, std::optional<Fit> wanted);

} // namespace tactus
