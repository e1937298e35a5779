// Makes the time map of a clock from its measurements. Pure. The same code runs at the end of the run and when a trace
// is read.
#pragma once

#include "base/ticks.hpp"
#include "clocksync/condense.hpp"
#include "trace/sync_round.hpp"
#include "trace/time_map.hpp"

#include <span>
#include <vector>

namespace tactus {

// What is known of one rank's clock.
struct ClockFacts {
    ClockPlace place;
    Timer timer{};
    Ticks timer_resolution = 1;  // no time stamp is more exact
    std::vector<Anchor> anchors; // in time order, at least one
    std::vector<SyncRound> rounds;
};

// Gives the map of the reference clock, which is global time.
TimeMap map_of_reference(const ClockFacts& facts);

// Whether in every sample the master's stamp lies between the rank's own two stamps. Both may then have the same clock.
bool is_one_clock(std::span<const SyncRound> rounds);

struct FittedRound {
    SyncRound round; // without its samples
    Ticks tick = 0;
    Point point;         // its offset against the master's global time, in ns
    GlobalTime time = 0; // global time at `tick`, by this round alone
    std::size_t samples = 0;
};
struct FittedClock {
    TimeMap map;
    std::vector<FittedRound> rounds; // rejected ones, too
};

// `master` is the map of the rank that the rounds were made with. When no sound map can be made from the rounds, the
// map is `otherwise`, with a note.
FittedClock fit_clock(Fit fit, const ClockFacts& facts, const TimeMap& master, const TimeMap& otherwise);

} // namespace tactus
