// How far clocks are off against each other, by the messages between them. Pure.
//
// Of two clocks a and b, in a window of time, the quickest message of each direction bounds by how much b is ahead of
// a (Duda et al. 1987; nothing arrives before it was sent):
//
//   -D <= ahead <= U     U = least of (b when received - a when sent), D = the same from b to a
//
// The middle of that is off by half of what the two ways differ. Windows in which nothing was quick are left out. From
// clock to clock the pairs that know it best lead, as a tree.
#pragma once

#include "trace/time_map.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace tactus {

// The quickest message from one clock to another in a window. Times by the fitted clocks.
struct Quickest {
    std::uint32_t from = 0; // clocks, each by the rank that leads those who share it
    std::uint32_t to = 0;
    std::uint32_t window = 0;
    GlobalTime took = std::numeric_limits<GlobalTime>::max(); // less than nothing where the clocks are off
    GlobalTime at = 0;                                        // received
};

// How far a clock may be off at a time, by what was measured.
struct OffsetUncertainty {
    std::uint32_t clock = 0;
    GlobalTime at = 0; // the middle of a window, or when it was measured
    bool measured = false;
    double ns = 0;
    double lead_ns = 0; // when it was measured
};

struct Windows {
    GlobalTime begin = 0;
    GlobalTime length = 1;
    std::uint32_t count = 1;
    [[nodiscard]] std::uint32_t of(GlobalTime time) const;
    [[nodiscard]] GlobalTime middle(std::uint32_t window) const { return begin + length * window + length / 2; }
};
// Of a second, longer ones in long runs.
Windows windows_between(GlobalTime begin, GlobalTime end);

// By how much a clock is ahead, at times that increase; cubic in between (three-point slopes), straight on outside.
struct ClockOffset {
    std::uint32_t clock = 0;
    struct Point {
        GlobalTime time = 0;
        double ns = 0;
        double within_ns = 0; // the truth
    };
    std::vector<Point> points;
    [[nodiscard]] double at(GlobalTime time) const;
    [[nodiscard]] double within(GlobalTime time) const;
};

// Of every clock that messages lead to from the clock of rank 0 (or, where they do not lead there, from the lowest of
// those that hang together); a clock without an entry is as it was. Any order of what is given.
std::vector<ClockOffset> pairwise_offsets(std::vector<Quickest> messages, const std::vector<OffsetUncertainty>& known,
                                          const Windows& windows);

} // namespace tactus
