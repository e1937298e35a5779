// Puts ranks that have no MPI to measure their clocks on one clock, from the NCCL operations that they did together.
// Pure.
//
// In an AllReduce no member ends before every other member began (in a Broadcast: before the root began). So its begin
// on one rank and its end on another are like a message that cannot arrive before it was sent. There are such messages
// both ways, and they bound the offset between the two clocks to within about the length of the shortest such
// operation; postproc/refine/pairwise_offsets.hpp does the rest. Ranks of one host whose timer is the host's share one
// clock, unless their operations contradict that.
//
//   rank 0   [start ------------ end]
//   rank 1         [start ------------ end]
//             start 0 <= end 1 and start 1 <= end 0, when each is where it truly was
#pragma once

#include "postproc/nccl/matches.hpp"

#include <vector>

namespace tactus {

struct NcclClock {
    std::uint32_t leader = 0; // the rank whose clock it shares, or itself
    bool bounded = false;     // the first rank bounds it; if false, nothing is known or added
    ShiftMap shift;           // to be added to its time by its host's date; the half-widths say how exact it is
    double worst_ns = 0;      // largest of the half-widths
};

// Whether NCCL is all there is to go by: several ranks, no MPI, no measured clocks, but NCCL.
bool lacks_other_clocks(const Trace& trace);

// One for each rank of the trace, based on the ranks' fitted clocks.
std::vector<NcclClock> nccl_clocks(const Trace& trace, const NcclParts& parts, const NcclMatches& matches);

} // namespace tactus
