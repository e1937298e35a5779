// The Extended Controlled Logical Clock (Becker, Rabenseifner, Wolf, Linford 2009): shifts the times of ranks, as
// little as may be, so that nothing is received before it was sent. Whole units of global time throughout.
//
// Forward: with C the time of an event before, L after, and D = L - C,
//   D_i = max(0, D of the last jump - (1 - gamma) (C_i - C of that jump)),  L_i = C_i + D_i,
// and where it takes something: L_i = max(L_i, L of what was given + mu); the difference d is a jump.
// Backward: what was before the jump, back to d / slope before it, is stretched: by the lower convex hull of
// (left end, 0), (each event that gave something, how far it can move before what took it), (right end, d).
#pragma once

#include "postproc/replay/match_events.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

struct EclcOptions {
    double decay = 1e-4;       // 1 - gamma
    GlobalTime mu = 0;         // nothing takes less to come; messages no less than their channel's `least` more
    GlobalTime delta = 0;      // between events of a rank; 0: as they are
    double slope = 0.01;       // of what is stretched
    bool iterate = false;      // passes, until the largest jump is below epsilon
    GlobalTime epsilon = 8000; // 1 us
};

// What it did to the ranks of this process.
struct EclcFigures {
    std::uint64_t passes = 0;
    std::uint64_t jumps = 0; // events that were moved because of what they took
    GlobalTime largest_jump = 0;
    GlobalTime largest_move = 0; // of any event
    std::uint64_t intervals = 0; // between events of a rank that follow each other
    std::uint64_t changed = 0;   // of these, by more than 1 %
    double steepest = 0;         // slope of what was stretched
    std::uint64_t released = 0;  // events that waited for each other in a circle
};

// Collective over the wire. Events' stamps are the times before, and become the times after. With nothing reversed
// nothing changes.
EclcFigures run_eclc(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                     const EclcOptions& options);

} // namespace tactus
