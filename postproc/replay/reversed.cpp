#include "postproc/replay/reversed.hpp"

#include "postproc/replay/engine.hpp"

namespace tactus {

template <std::size_t n>
std::array<Reversed, n> count_reversed(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                       const std::vector<std::array<const ProcessClock*, n>>& clocks) {
    CountingReversed<n> counting{clocks};
    Engine<CountingReversed<n>>{ranks, matched, wire, counting}.run();
    return counting.reversed();
}

template std::array<Reversed, 1> count_reversed(std::vector<RankEvents>&, const MatchedEvents&, ReplayWire&,
                                                const std::vector<std::array<const ProcessClock*, 1>>&);
template std::array<Reversed, 2> count_reversed(std::vector<RankEvents>&, const MatchedEvents&, ReplayWire&,
                                                const std::vector<std::array<const ProcessClock*, 2>>&);

void stamp(RankEvents& rank, const ProcessClock& clock) {
    ClockCursor cursor{clock};
    for (Event& event : rank.events) event.stamp = within_reach(cursor.at(event.tick));
}

} // namespace tactus
