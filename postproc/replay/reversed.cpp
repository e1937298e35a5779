#include "postproc/replay/reversed.hpp"

#include "postproc/replay/engine.hpp"

namespace tactus {
namespace {

template <std::size_t n> class Counting {
  public:
    static constexpr bool independent = true;
    using Note = std::array<GlobalTime, n>;
    static Note stronger(const Note& a, const Note& b) {
        Note both = a;
        for (std::size_t i = 0; i < n; ++i) both[i] = std::max(a[i], b[i]);
        return both;
    }

    explicit Counting(const std::vector<std::array<const ProcessClock*, n>>& clocks) : giving_(clocks.size()) {
        for (std::size_t rank = 0; rank < clocks.size(); ++rank)
            for (const ProcessClock* clock : clocks[rank]) giving_[rank].emplace_back(*clock);
        taking_ = giving_;
    }

    Note give(std::size_t rank, Event& event) { return times(giving_[rank], event); }
    void pass(std::size_t, Event&) {}
    void take(std::size_t rank, Event& event, const Note& given) {
        const Note own = times(taking_[rank], event);
        for (std::size_t i = 0; i < n; ++i) reversed_[i].take(event.role(), own[i], given[i]);
    }

    [[nodiscard]] const std::array<Reversed, n>& reversed() const { return reversed_; }

  private:
    using Cursors = std::vector<ClockCursor>;
    static Note times(Cursors& cursors, const Event& event) {
        Note note{};
        for (std::size_t i = 0; i < n; ++i) note[i] = within_reach(cursors[i].at(event.tick));
        return note;
    }

    std::vector<Cursors> giving_; // by rank
    std::vector<Cursors> taking_;
    std::array<Reversed, n> reversed_;
};

} // namespace

template <std::size_t n>
std::array<Reversed, n> count_reversed(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                       const std::vector<std::array<const ProcessClock*, n>>& clocks) {
    Counting<n> counting{clocks};
    Engine<Counting<n>>{ranks, matched, wire, counting}.run();
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
