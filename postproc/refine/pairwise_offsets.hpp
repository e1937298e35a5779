// Estimates the offsets between clocks from the messages between them. Pure.
//
// For two clocks a and b in a window of time, the quickest message of each direction bounds the offset by which b is
// ahead of a, since nothing arrives before it was sent (Duda et al. 1987):
//
//   -D <= ahead <= U     U = minimum of (b when received - a when sent), D = the same from b to a
//
// The middle of the bounds is off by half of the difference between the two latencies. Windows in which no message was
// quick are left out. Offsets go from clock to clock along a tree of the pairs whose offsets are known best.
#pragma once

#include "postproc/refine/clock_offset.hpp"
#include "trace/time_map.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace tactus {

// The quickest message from one clock to another in a window. Times are global time by the fitted clocks.
struct Quickest {
    std::uint32_t from = 0; // a clock has the number of the rank that leads those that share it
    std::uint32_t to = 0;
    std::uint32_t window = 0;
    GlobalTime took = std::numeric_limits<GlobalTime>::max(); // may be negative where the clocks are off
    GlobalTime at = 0;                                        // when it was received
};

// How far a clock may be off at a time, according to the rounds that measured it.
struct OffsetUncertainty {
    std::uint32_t clock = 0;
    GlobalTime at = 0;     // the middle of a window, or the time of a round
    bool measured = false; // `at` is the time of a round
    double ns = 0;         // half width of the bounds
};

struct Windows {
    GlobalTime begin = 0;
    GlobalTime length = 1;
    std::uint32_t count = 1;
    [[nodiscard]] std::uint32_t of(GlobalTime time) const;
    [[nodiscard]] GlobalTime middle(std::uint32_t window) const { return begin + length * window + length / 2; }
};
// Windows of a second, or longer ones in long runs: there are at most 256.
Windows windows_between(GlobalTime begin, GlobalTime end);

// Gives the offsets of all clocks that messages connect with another clock, relative to the lowest clock of each
// connected part, which is that of rank 0 where messages lead there. Other clocks keep what `so_far` says of them; a
// clock without an entry stays as it is.
//
// While clocks drift apart, the quickest message of a window lies at one of its ends. So there are several passes: once
// a pass has removed the drift, another message may be the quickest. `so_far` is what the pass before gave: the times
// of `messages` are less by that, with straight lines between its points. `known` and the result belong to the clocks
// as they were before the first pass. The result does not depend on the order of `messages` and `known`.
std::vector<ClockOffset> pairwise_offsets(std::vector<Quickest> messages, const std::vector<OffsetUncertainty>& known,
                                          const Windows& windows, const std::vector<ClockOffset>& so_far);

} // namespace tactus
