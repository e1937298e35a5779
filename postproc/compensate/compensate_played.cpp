#include "postproc/compensate/compensate.hpp"
#include "postproc/compensate/rank_delays.hpp"
#include "postproc/replay/engine.hpp"
#include "postproc/replay/reversed.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tactus {
namespace {

// Finds how long the quickest message of each channel took, and then the quickest between the same two ranks.
class Quickest {
  public:
    static constexpr bool independent = true;
    using Note = GlobalTime; // when the message was given
    static Note stronger(Note a, Note b) { return std::max(a, b); }

    explicit Quickest(const std::vector<RankEvents>& ranks) : ranks_{ranks} {
        for (const RankEvents& rank : ranks) of_channels_.emplace_back(rank.channels.size(), unknown);
    }

    static Note give(std::size_t, const Event& event) { return event.stamp; }
    static void pass(std::size_t, const Event&) {}
    void take(std::size_t rank, const Event& event, Note given) {
        if (!is_message(event.role())) return;
        GlobalTime& least = of_channels_[rank][event.index()];
        least = std::clamp<GlobalTime>(event.stamp - given, 0, least);
    }

    // Gives every channel the least time of all channels from the same peer. Channels of window epochs are joined only
    // with each other.
    void join_channels() {
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            std::map<std::pair<std::uint32_t, bool>, GlobalTime> of_peers;
            const std::vector<Channel>& channels = ranks_[i].channels;
            for (const bool join : {true, false})
                for (std::size_t k = 0; k < channels.size(); ++k) {
                    if (channels[k].outgoing) continue;
                    const std::pair key{channels[k].peer, channels[k].tag == tag_of_windows};
                    GlobalTime& least = of_peers.try_emplace(key, unknown).first->second;
                    if (join)
                        least = std::min(least, of_channels_[i][k]);
                    else
                        of_channels_[i][k] = least;
                }
        }
    }
    [[nodiscard]] GlobalTime of(std::size_t rank, std::uint32_t channel) const { return of_channels_[rank][channel]; }

  private:
    static constexpr GlobalTime unknown = std::numeric_limits<GlobalTime>::max() / 4;
    const std::vector<RankEvents>& ranks_;
    std::vector<std::vector<GlobalTime>> of_channels_; // by rank
};

class Compensating {
  public:
    static constexpr bool independent = false;
    using Note = GivenTimes;
    static Note stronger(const Note& a, const Note& b) { return GivenTimes::later(a, b); }

    Compensating(const std::vector<RankEvents>& ranks, const Quickest& quickest, std::deque<RankDelays>& delays)
        : ranks_{ranks}, quickest_{quickest}, delays_{delays}, messages_(ranks.size()) {}

    Note give(std::size_t rank, const Event& event) {
        LaneDelays* const lane = delays_[rank].at(event);
        return lane != nullptr ? lane->given() : GivenTimes{event.stamp, event.stamp};
    }
    void pass(std::size_t rank, const Event& event) {
        (void)delays_[rank].at(event);
        count(rank, event);
    }
    void take(std::size_t rank, const Event& event, const Note& given) {
        count(rank, event);
        LaneDelays* const lane = delays_[rank].at(event);
        if (lane == nullptr) return;
        const bool message = is_message(event.role());
        lane->take(message ? given.after(quickest_.of(rank, event.index())) : given, !message);
    }

    [[nodiscard]] std::uint64_t messages(std::size_t rank) const { return messages_[rank]; }

  private:
    void count(std::size_t rank, const Event& event) {
        if (event.role() == Role::receive && ranks_[rank].channels[event.index()].of_messages()) ++messages_[rank];
    }

    const std::vector<RankEvents>& ranks_;
    const Quickest& quickest_;
    std::deque<RankDelays>& delays_;
    std::vector<std::uint64_t> messages_; // of each rank
};

} // namespace

PlayedDelays compensate_played(const Trace& trace, const PlayedRanks& played, ReplayWire& wire,
                               const TakeDelayed& take) {
    std::vector<RankEvents>& ranks = played.events;
    for (std::size_t i = 0; i < ranks.size(); ++i) stamp(ranks[i], played.clocks[i]);
    Quickest quickest{ranks};
    Engine<Quickest>{ranks, played.matched, wire, quickest}.run();
    if (wire.out_of_time()) return {};
    quickest.join_channels();
    std::deque<RankDelays> delays;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::uint32_t index = played.indices[i];
        delays.emplace_back(index, trace.ranks[index], played.clocks[i], ranks[i], take);
    }
    Compensating compensating{ranks, quickest, delays};
    PlayedDelays result;
    result.released = Engine<Compensating>{ranks, played.matched, wire, compensating}.run();
    if (wire.out_of_time()) return {};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        delays[i].finish();
        result.ranks.push_back({.messages = compensating.messages(i) + ranks[i].own_messages,
                                .collectives = delays[i].collectives(),
                                .notes = delays[i].notes()});
    }
    return result;
}

} // namespace tactus
