// Counts messages that arrived before they were sent, by some clock, and collectives likewise.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "trace/shift_map.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// A visitor of a replay that counts by `n` clocks at once: `clocks[i]` are those of ranks[i]. A null pointer stands for
// the clock by which the events are stamped.
template <std::size_t n> class CountingReversed {
  public:
    static constexpr bool independent = true;
    using Note = std::array<GlobalTime, n>;
    static Note stronger(const Note& a, const Note& b) {
        Note both = a;
        for (std::size_t i = 0; i < n; ++i) both[i] = std::max(a[i], b[i]);
        return both;
    }

    explicit CountingReversed(const std::vector<std::array<const ProcessClock*, n>>& clocks) : giving_(clocks.size()) {
        for (std::size_t rank = 0; rank < clocks.size(); ++rank)
            for (const ProcessClock* clock : clocks[rank])
                giving_[rank].push_back(clock != nullptr ? std::optional{ClockCursor{*clock}} : std::nullopt);
        taking_ = giving_;
    }

    Note give(std::size_t rank, Event& event) { return times(giving_[rank], event); }
    void pass(std::size_t, Event&) {}
    void take(std::size_t rank, Event& event, const Note& given) {
        const Note own = times(taking_[rank], event);
        for (std::size_t i = 0; i < n; ++i) reversed_[i].take(event.role(), own[i], given[i]);
    }

    // For the ranks of this process only.
    [[nodiscard]] const std::array<Reversed, n>& reversed() const { return reversed_; }
    // Said by whoever ran the replay: it came to its end, and did not run out of time.
    void end() { ended_ = true; }
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    using Cursors = std::vector<std::optional<ClockCursor>>;
    static Note times(Cursors& cursors, const Event& event) {
        Note note{};
        for (std::size_t i = 0; i < n; ++i)
            note[i] = cursors[i] ? within_reach(cursors[i]->at(event.tick)) : event.stamp;
        return note;
    }

    std::vector<Cursors> giving_; // by rank
    std::vector<Cursors> taking_;
    std::array<Reversed, n> reversed_;
    bool ended_ = false;
};

// Collective over the wire. Counts by 1 or 2 clocks, as above.
template <std::size_t n>
std::array<Reversed, n> count_reversed(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                       const std::vector<std::array<const ProcessClock*, n>>& clocks);

// Sets the stamp of every event to the global time of its tick.
void stamp(RankEvents& rank, const ProcessClock& clock);

} // namespace tactus
