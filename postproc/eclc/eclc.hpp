// The Extended Controlled Logical Clock (Becker, Rabenseifner, Wolf, Linford 2009): shifts the times of ranks as little
// as possible, so that nothing is received before it was sent. All times are whole units of global time.
//
// Forward half. C is the time of an event before the correction, L its time after it, and D = L - C:
//   D_i = max(0, D of the last jump - (1 - gamma) (C_i - C of that jump)),  L_i = C_i + D_i
// An event that takes something has L_i = max(L_i, L of the event that gave it + mu); the difference d is a jump.
// Backward half. The events before a jump, back to d / slope before it, are moved by the lower convex hull of the
// points (left end, 0), (each event that gave something, how far it can move until that was taken), (right end, d).
#pragma once

#include "postproc/replay/match_events.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

struct EclcOptions {
    double decay = 1e-4;       // 1 - gamma
    GlobalTime mu = 0;         // minimum latency of whatever is taken; messages have their channel's `least` on top
    GlobalTime delta = 0;      // minimum time between events of a rank; 0: none
    double slope = 0.01;       // by which events before a jump are stretched, unless limits make it steeper
    bool iterate = false;      // repeat passes until the largest jump is below epsilon
    GlobalTime epsilon = 8000; // 1 us
};

// What the correction did to the ranks of this process.
struct EclcFigures {
    std::uint64_t passes = 0;
    std::uint64_t jumps = 0; // events that were moved because of what they took
    GlobalTime largest_jump = 0;
    double steepest = 0;        // steepest slope of the backward half
    std::uint64_t released = 0; // events that waited for each other in a circle
};

// Collective over the wire. Replaces the stamps of events by the corrected times. If nothing is reversed, nothing
// changes.
EclcFigures run_eclc(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                     const EclcOptions& options);

} // namespace tactus
