// From what was measured of a clock to its time map. Pure, the same at the end of the run and when a trace is read.
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
    Ticks timer_resolution = 1;  // no stamp is more exact
    std::vector<Anchor> anchors; // in time order, at least one
    std::vector<SyncRound> rounds;
};

// The reference's clock: it is global time.
TimeMap map_of_reference(const ClockFacts& facts);

// Whether every sample lies between the rank's own two stamps: then its clock may be its master's.
bool is_one_clock(std::span<const SyncRound> rounds);

struct FittedRound {
    SyncRound round; // without its samples
    Ticks tick = 0;
    double local_s = 0;  // since the first anchor, by the nominal rate
    Point point;         // its offset against the master's global time, in ns
    GlobalTime time = 0; // at `tick`, by this round alone
    std::size_t samples = 0;
};
struct FittedClock {
    TimeMap map;
    std::vector<FittedRound> rounds; // rejected ones, too
};

// `master` is the map of the rank that the rounds were made with. When nothing can be made of them the map is
// `otherwise`, with a note.
FittedClock fit_clock(Fit fit, const ClockFacts& facts, const TimeMap& master, const TimeMap& otherwise);

} // namespace tactus
