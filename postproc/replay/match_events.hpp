// Matches the events of all ranks before they are played: which send belongs to which receive, and which ranks make a
// collective together. Nothing is guessed: events that do not match are left out and counted by the reason, so that a
// replay never waits for something that does not come.
//
// The k-th sent message of a channel goes to its k-th posted receive (MPI-4.0, 3.5). That is not certain with several
// threads, with messages that overtook each other, and where the counts differ. There the numbers decide that receives
// know of their messages, and messages without a number are left out. docs/decisions/0016-one-answer.md gives the
// reasons.
#pragma once

#include "postproc/replay/rank_events.hpp"
#include "postproc/replay/wire.hpp"

#include <vector>

namespace tactus {

// A collective group as its owner sees it.
struct OwnedCollectiveGroup {
    TakesFrom takes_from{};
    std::uint32_t first = 0; // see CollectiveGroup
    std::uint32_t count = 0; // collectives
    std::uint32_t ahead = 0; // limit of collectives open at once: the most in which one member waits for nobody
    struct Member {
        std::uint32_t rank = 0;
        std::uint32_t group = 0; // index in the RankEvents::groups of that rank
    };
    std::vector<Member> members;
};

struct MatchedEvents {
    std::uint64_t messages = 0;    // matched, to ranks of this process; also those of a rank to itself
    std::uint64_t signals = 0;     // the same for ends of windows' epochs and partitioned messages
    std::uint64_t collectives = 0; // calls of this process's ranks
    // What has no counterpart. Each is counted by one of the processes, so the sums over all processes are exact.
    CountsByReason unmatched{};                           // messages
    CountsByReason unmatched_others{};                    // signals and collectives
    std::vector<std::vector<OwnedCollectiveGroup>> owned; // by index of `ranks`
};

// Collective over the wire. `ranks` are those that this process plays, in ascending order. Sets the `order` of events
// and completes channels and groups; events without a counterpart are erased.
MatchedEvents match_events(std::vector<RankEvents>& ranks, ReplayWire& wire);

} // namespace tactus
