// One clock for ranks that have no MPI to measure theirs by: from the operations of NCCL that they did together. Pure.
//
// Of an AllReduce no member ends before every other one began (of a Broadcast: before its root did). So its begin on
// one rank and its end on another are a message that cannot arrive before it was sent, both ways, and bound how far
// the two clocks are apart, to within about the length of the shortest such operation:
// postproc/refine/pairwise_offsets.hpp has the rest. Ranks of one host whose timer is the host's have one clock, unless
// their operations contradict.
//
//   rank 0   [start ------------ end]
//   rank 1         [start ------------ end]
//             start 0 <= end 1 and start 1 <= end 0, when each is where it truly was
#pragma once

#include "postproc/nccl/matches.hpp"

#include <vector>

namespace tactus {

struct NcclClock {
    std::uint32_t leader = 0; // rank whose clock it shares; itself: none
    bool bounded = false;     // against the first rank; false: nothing is known, and nothing added
    ShiftMap shift;           // to be added to its time by its host's date; within what it says
    double worst_ns = 0;      // of its half-widths
};

// Whether there is nothing else to go by: several ranks, no MPI, no measured clocks, but NCCL.
bool lacks_other_clocks(const Trace& trace);

// One a rank of the trace, by their fitted clocks.
std::vector<NcclClock> nccl_clocks(const Trace& trace, const NcclParts& parts, const NcclMatches& matches);

} // namespace tactus
