#include "postproc/replay/messages.hpp"

#include "postproc/replay/match_events.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace tactus {
namespace {

// Finds the event of a message by its channel and its order there.
class EventsByOrder {
  public:
    explicit EventsByOrder(const RankEvents& rank) {
        first_.push_back(0);
        for (const Channel& channel : rank.channels)
            first_.push_back(first_.back() + (channel.used ? channel.count : 0));
        events_.resize(first_.back(), none);
        for (std::uint32_t i = 0; i < rank.events.size(); rank.events.pass(++i)) {
            const Event& event = rank.events[i];
            if (const std::size_t at = first_[event.index()] + event.order; at < first_[event.index() + 1])
                events_[at] = i;
        }
    }

    static constexpr std::uint32_t none = UINT32_MAX;
    [[nodiscard]] std::uint32_t find(std::uint32_t channel, std::uint32_t order) const {
        const std::size_t at = first_[channel] + order;
        return at < first_[channel + 1] ? events_[at] : none;
    }

  private:
    std::vector<std::size_t> first_;    // by channel: where its messages begin in events_
    std::vector<std::uint32_t> events_; // indices in RankEvents::events
};

// The two sides of a channel: the indices of the ranks, and of their channels.
struct BothSides {
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
};

auto key(std::uint32_t rank, const Channel& channel) {
    return channel.outgoing ? std::tuple{rank, channel.peer, channel.comm, channel.tag}
                            : std::tuple{channel.peer, rank, channel.comm, channel.tag};
}

std::vector<BothSides> matched_channels(const std::vector<RankEvents>& ranks) {
    std::vector<BothSides> all;
    for (std::uint32_t receiver = 0; receiver < ranks.size(); ++receiver)
        for (std::uint32_t i = 0; i < ranks[receiver].channels.size(); ++i) {
            const Channel& channel = ranks[receiver].channels[i];
            if (channel.outgoing || !channel.used || channel.count == 0) continue;
            const auto sender =
                std::lower_bound(ranks.begin(), ranks.end(), channel.peer,
                                 [](const RankEvents& events, std::uint32_t rank) { return events.rank < rank; });
            all.push_back({static_cast<std::uint32_t>(sender - ranks.begin()), receiver, channel.other, i});
        }
    const auto before = [&](const BothSides& a, const BothSides& b) {
        return key(ranks[a.receiver].rank, ranks[a.receiver].channels[a.received]) <
               key(ranks[b.receiver].rank, ranks[b.receiver].channels[b.received]);
    };
    std::sort(all.begin(), all.end(), before);
    return all;
}

MessageEnd end_of(const RankEvents& rank, std::uint32_t event) {
    const bool received = rank.events[event].role() == Role::receive;
    return {rank.rank, rank.origins[event].lane,
            received ? static_cast<Ticks>(rank.events[event].stamp) : rank.events[event].tick};
}

void count_channels(const std::vector<RankEvents>& ranks, MessageCounts& counts) {
    std::set<decltype(key(0, Channel{}))> all;
    std::set<decltype(key(0, Channel{}))> matched;
    for (const RankEvents& rank : ranks)
        for (const Channel& channel : rank.channels) {
            all.insert(key(rank.rank, channel));
            if (!channel.outgoing && channel.used && channel.count > 0) matched.insert(key(rank.rank, channel));
        }
    counts.channels = all.size();
    counts.channels_left_out = all.size() - matched.size();
}

std::optional<std::vector<RankEvents>> read(const Trace& trace, const PagingTo& paging) {
    std::vector<RankEvents> ranks;
    for (const RankFile& file : trace.ranks) {
        ranks.push_back(events_of(file, {.paging = paging, .only_messages = true}));
        if (ranks.back().too_many) return {};
    }
    return ranks;
}

} // namespace

std::uint64_t MessageCounts::unmatched_in_all() const {
    return std::accumulate(unmatched.begin(), unmatched.end(), std::uint64_t{0});
}

void for_each_matched(const std::vector<RankEvents>& ranks, const TakeMessage& take) {
    std::vector<EventsByOrder> by_order;
    by_order.reserve(ranks.size());
    for (const RankEvents& rank : ranks) by_order.emplace_back(rank);
    for (const BothSides& sides : matched_channels(ranks)) {
        const RankEvents& sender = ranks[sides.sender];
        const RankEvents& receiver = ranks[sides.receiver];
        const Channel& channel = receiver.channels[sides.received];
        for (std::uint32_t order = 0; order < channel.count; ++order) {
            const std::uint32_t sent = by_order[sides.sender].find(sides.sent, order);
            const std::uint32_t received = by_order[sides.receiver].find(sides.received, order);
            if (sent == EventsByOrder::none || received == EventsByOrder::none) continue;
            take({.sent = end_of(sender, sent),
                  .received = end_of(receiver, received),
                  .bytes = receiver.origins[received].bytes,
                  .comm = channel.comm,
                  .tag = channel.tag,
                  .series = channel.series});
        }
    }
}

MessageCounts for_each_message(const Trace& trace, const TakeMessage& take) {
    constexpr std::size_t in_memory = std::size_t{256} << 20;
    MessageCounts counts;
    if (trace.ranks.empty()) return counts;
    auto ranks = read(trace, paging_of_ranks(trace.path.c_str(), in_memory, trace.ranks.size()));
    if (!ranks) ranks = read(trace, {}); // the trace's folder may not be writable
    if (!ranks) {
        keep_error(counts.unreadable, {.what = "there is no room for its messages", .file = trace.path});
        return counts;
    }
    LonelyWire wire;
    const MatchedEvents matched = match_events(*ranks, wire);
    counts.matched = matched.messages;
    counts.unmatched = matched.unmatched;
    count_channels(*ranks, counts);
    for (const RankEvents& rank : *ranks)
        for (const Error& error : rank.unreadable) keep_error(counts.unreadable, error);
    for_each_matched(*ranks, take);
    return counts;
}

} // namespace tactus
