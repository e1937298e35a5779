// What came before it was sent, by some clock.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "trace/shift_map.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tactus {

struct Reversed {
    std::uint64_t messages = 0;
    std::uint64_t collectives = 0; // members that left one before somebody they needed had come
    GlobalTime worst = 0;

    void take(Role role, GlobalTime taken, GlobalTime given) {
        if (given <= taken) return;
        ++(is_message(role) ? messages : collectives);
        worst = given - taken > worst ? given - taken : worst;
    }
    [[nodiscard]] std::uint64_t all() const { return messages + collectives; }
};

// Collective over the wire. By one or two clocks at once, of each one for each rank; of the ranks of this process.
template <std::size_t n>
std::array<Reversed, n> count_reversed(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                       const std::vector<std::array<const ProcessClock*, n>>& clocks);

// Sets every event's stamp by its rank's clock.
void stamp(RankEvents& rank, const ProcessClock& clock);

} // namespace tactus
