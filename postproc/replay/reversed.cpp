#include "postproc/replay/reversed.hpp"

#include "postproc/replay/engine.hpp"

namespace tactus {
namespace {

class Counting {
  public:
    using Note = std::array<GlobalTime, 2>;
    static Note stronger(const Note& a, const Note& b) { return {std::max(a[0], b[0]), std::max(a[1], b[1])}; }

    explicit Counting(const std::vector<std::array<const ProcessClock*, 2>>& clocks) {
        for (const auto& [first, second] : clocks) cursors_.push_back({ClockCursor{*first}, ClockCursor{*second}});
    }

    Note give(std::size_t rank, Event& event) { return times(rank, event); }
    void pass(std::size_t, Event&) {}
    void take(std::size_t rank, Event& event, const Note& given) {
        const Note own = times(rank, event);
        for (std::size_t i = 0; i < own.size(); ++i) reversed_[i].take(event.role(), own[i], given[i]);
    }

    [[nodiscard]] const TwoReversed& reversed() const { return reversed_; }

  private:
    Note times(std::size_t rank, const Event& event) {
        auto& [first, second] = cursors_[rank];
        return {playable(first.at(event.tick)), playable(second.at(event.tick))};
    }

    std::vector<std::array<ClockCursor, 2>> cursors_;
    TwoReversed reversed_;
};

} // namespace

TwoReversed count_reversed(std::vector<RankEvents>& ranks, const Agreed& agreed, ReplayWire& wire,
                           const std::vector<std::array<const ProcessClock*, 2>>& clocks) {
    Counting counting{clocks};
    Engine<Counting>{ranks, agreed, wire, counting}.run();
    return counting.reversed();
}

void stamp(RankEvents& rank, const ProcessClock& clock) {
    ClockCursor cursor{clock};
    for (Event& event : rank.events) event.stamp = playable(cursor.at(event.tick));
}

} // namespace tactus
