// The clocks of a trace in numbers: what was measured, the result of each fit, and how many messages are in disorder.
// For one thread.
//
// Offsets and drifts are to be added to a rank's own time. So a clock that is ahead has a negative offset, and a clock
// that runs fast has a negative drift. A rank's own time is its host's date at the start plus its ticks at the nominal
// rate.
#pragma once

#include "clocksync/trace_clocks.hpp"
#include "postproc/replay/messages.hpp"

#include <array>
#include <string>
#include <vector>

namespace tactus {

inline constexpr std::array compared_fits = {Fit::interval, Fit::itac};

// A rank's clock by one fit. The run of a rank is from its first anchor to its last anchor or record.
struct ClockNumbers {
    bool known = false;       // false: nothing was measured, so the clock is the host's date
    double offset_ns = 0;     // at the start
    double drift_ppm = 0;     // mean over the run
    double half_width_ns = 0; // median over the run
    double half_width_start_ns = 0;
    double half_width_end_ns = 0;
    double half_width_worst_ns = 0;
};

struct ClockRound {
    FittedRound fitted;
    bool usable = false;  // false: none of its samples could be used
    double time_s = 0;    // global time
    double offset_ns = 0; // by this round alone
};

struct TimedNote {
    ClockNote note;
    double time_s = 0;
};

struct RankClock {
    std::uint32_t rank = 0;
    std::string host; // made safe for printing
    Timer timer{};
    bool placed = false; // false: the trace does not tell against which clock this one was measured
    ClockPlace place;
    ClockNumbers numbers; // by the fit that the trace was put on
    std::array<ClockNumbers, compared_fits.size()> fits;
    ClockNumbers refined;         // by messages and collectives, if nothing was measured
    double fit_difference_ns = 0; // largest difference of the two fits over the run
    std::vector<ClockRound> rounds;
    std::size_t rejected = 0;
    std::vector<TimedNote> notes; // without those of a shared clock, which its master has
    [[nodiscard]] const char* relation() const;
};

// The measured clocks that are `level` exchanges away from rank 0.
struct ClockLevel {
    std::uint32_t level = 0;
    std::size_t clocks = 0;
    double median_ns = 0; // median of the clocks' half-widths
    double worst_ns = 0;  // largest half-width of any clock at any time
};

// Numbers of messages that were received before they were sent, by different clocks.
struct ReversedPairs {
    std::uint64_t raw = 0;    // by the hosts' dates
    std::uint64_t fitted = 0; // by the time maps of the trace
    std::array<std::uint64_t, compared_fits.size()> fits{};
    MessageCounts messages;
};

struct ClocksFacts {
    Fit fit{};
    bool measured = false; // false: there are no measurements to fit
    bool stored = false;   // the time maps are those that the run stored
    std::vector<RankClock> ranks;
    std::vector<ClockLevel> levels;
    ReversedPairs reversed;

    [[nodiscard]] std::size_t count(ClockRelation relation) const;
};

struct ClockRun {
    Ticks first = 0;
    Ticks last = 0;
    // Divides the run into `of` equal parts, and returns the end of the first `i` of them.
    [[nodiscard]] Ticks moment(std::size_t i, std::size_t of) const;
};
ClockRun run_of(const RankFile& file);

// put_on_one_clock() must have been called for `trace`, with the same `wanted`.
ClocksFacts clocks_facts(const Trace& trace, std::optional<Fit> wanted);

} // namespace tactus
