// Counts messages that arrived before they were sent, by some clock, and collectives likewise.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "trace/shift_map.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tactus {

struct Reversed {
    std::uint64_t messages = 0;
    std::uint64_t collectives = 0; // members that left a collective before a member that they needed had entered
    GlobalTime worst = 0;          // the longest time by which any of them was too early

    void take(Role role, GlobalTime taken, GlobalTime given) {
        if (given <= taken) return;
        ++(is_message(role) ? messages : collectives);
        worst = given - taken > worst ? given - taken : worst;
    }
    [[nodiscard]] std::uint64_t all() const { return messages + collectives; }
};

// Collective over the wire. Counts by `n` clocks at once (1 or 2): `clocks[i]` are those of ranks[i]. The result is for
// the ranks of this process only.
template <std::size_t n>
std::array<Reversed, n> count_reversed(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                       const std::vector<std::array<const ProcessClock*, n>>& clocks);

// Sets the stamp of every event to the global time of its tick.
void stamp(RankEvents& rank, const ProcessClock& clock);

} // namespace tactus
