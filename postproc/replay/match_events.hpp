// Brings the events of all ranks together before they are played: which message is which on both sides, and who makes
// which collective. Nothing is guessed: what does not match is left out and counted by the reason, so that a replay
// never waits for what does not come.
//
// The k-th sent message of a channel goes to its k-th posted receive (MPI-4.0, 3.5). Where that is not sure (several
// threads, messages that overtook each other, counts that differ) the numbers hold that receives have of their
// messages, and those without are left out. docs/decisions/0016-one-answer.md says why so.
#pragma once

#include "postproc/replay/rank_events.hpp"
#include "postproc/replay/wire.hpp"

#include <vector>

namespace tactus {

// A group as its owner sees it.
struct OwnedCollectiveGroup {
    TakesFrom takes_from{};
    std::uint32_t first = 0; // members in the first group
    std::uint32_t count = 0; // collectives
    std::uint32_t ahead = 0; // so many may be open at once: a member waits in none of them
    struct Member {
        std::uint32_t rank = 0;
        std::uint32_t group = 0; // its number there
    };
    std::vector<Member> members;
};

struct MatchedEvents {
    std::uint64_t messages = 0;    // with both sides, to ranks of this process; also those of a rank to itself
    std::uint64_t signals = 0;     // the same of epochs of windows and of partitioned messages
    std::uint64_t collectives = 0; // of ranks of this process
    // Of these what has no counterpart, as far as this process counted it: all processes together count each once.
    CountsByReason unmatched{};                           // messages
    CountsByReason unmatched_others{};                    // all else
    std::vector<std::vector<OwnedCollectiveGroup>> owned; // by index of `ranks`
};

// Collective over the wire. `ranks`: those that this process plays, by rank. Afterwards events without a counterpart
// have no role.
MatchedEvents match_events(std::vector<RankEvents>& ranks, ReplayWire& wire);

} // namespace tactus
