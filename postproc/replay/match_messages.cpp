#include "postproc/replay/match_messages.hpp"

#include "postproc/replay/ranks_here.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tactus {
namespace {

// A sender tells the receiver what was sent on a channel.
struct Offer {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint64_t comm = 0;
    std::uint64_t series = 0;
    std::int32_t tag = 0;
    std::uint32_t channel = 0;
    std::uint32_t count = 0;
    bool threads = false;
    bool complete = false; // no record of the sender is missing
    bool kept_out = false; // a filter or VT_traceoff kept some sends out
};

// The receiver's answer to an Offer that it could match.
struct Reply {
    std::uint32_t to = 0;
    std::uint32_t channel = 0;
    std::uint32_t other = 0; // the receiver's index of the channel
    bool by_number = false;
    std::uint32_t count = 0; // unless by_number: how many messages count, from the first on
};

// A receiver tells the sender what was received on a channel for which no Offer came.
struct Unoffered {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint64_t comm = 0;
    std::uint64_t series = 0;
    std::int32_t tag = 0;
    std::uint32_t count = 0;
    bool complete = false;
    bool kept_out = false;
};

// A receiver asks the sender for the message with this number. The same struct is the answer: `order` is the position
// among the messages that were asked for.
struct Claim {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint32_t channel = 0; // index with the rank `to`
    std::uint32_t mine = 0;    // index with the rank `from`
    std::uint64_t number = 0;
    std::uint32_t order = unknown;
    static constexpr std::uint32_t unknown = UINT32_MAX;
};

class MatchingMessages {
  public:
    MatchingMessages(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched)
        : ranks_{ranks, wire}, matched_{matched} {}

    void run() {
        std::vector<Reply> replies;
        const auto to_nobody = [&](const Offer& offer) {
            because(unmatched_like(offer.series), Unmatched::incomplete) += offer.count;
        };
        for (const Offer& offer : ranks_.exchange(own_offers(), to_nobody)) answer(offer, replies);
        count_unoffered();
        replies = ranks_.exchange(replies);
        for (const Reply& reply : replies) {
            Channel& channel = ranks_.of(reply.to).channels[reply.channel];
            channel.other = reply.other;
            channel.used = true;
            channel.by_number = reply.by_number;
            if (!reply.by_number) limits_[{reply.to, reply.channel}] = reply.count;
        }
        match_by_number(replies);
        for (RankEvents& rank : ranks_.all()) forget_unmatched(rank);
    }

  private:
    using RankChannel = std::pair<std::uint32_t, std::uint32_t>; // rank, and index of its channel

    CountsByReason& unmatched_like(std::uint64_t series) {
        return Channel{.series = series}.of_messages() ? matched_.unmatched : matched_.unmatched_others;
    }
    void count_matched(const Channel& channel, std::uint64_t count) {
        (channel.of_messages() ? matched_.messages : matched_.signals) += count;
    }

    std::vector<Offer> own_offers() {
        std::vector<Offer> offers;
        for (const RankEvents& rank : ranks_.all())
            for (std::uint32_t i = 0; i < rank.channels.size(); ++i)
                if (const Channel& channel = rank.channels[i]; channel.outgoing)
                    offers.push_back({.to = channel.peer,
                                      .from = rank.rank,
                                      .comm = channel.comm,
                                      .series = channel.series,
                                      .tag = channel.tag,
                                      .channel = i,
                                      .count = channel.count,
                                      .threads = channel.threads,
                                      .complete = rank.complete,
                                      .kept_out = rank.keeps_out(channel)});
        return offers;
    }

    // --- the receiver's side

    void answer(const Offer& offer, std::vector<Reply>& replies) {
        RankEvents& rank = ranks_.of(offer.to);
        const auto known = incoming(offer.to).find({offer.from, offer.comm, offer.tag, offer.series});
        if (known == incoming(offer.to).end()) {
            because(unmatched_like(offer.series), reason_of(rank, offer, 0)) += offer.count;
            return;
        }
        const RankChannel mine{offer.to, known->second};
        Channel& channel = rank.channels[mine.second];
        offered_.insert(mine);
        const bool ordered = !channel.overtaken && !channel.threads && !offer.threads;
        if (ordered && can_only_end_early(rank, channel, offer)) {
            limits_[mine] = channel.count;
            count_matched(channel, channel.count);
            because(unmatched_like(offer.series), Unmatched::unequal) += offer.count - channel.count;
        } else if (channel.any_named) {
            by_number_[mine] = {
                {offer.from, offer.channel}, offer.count, reason_of(rank, offer, channel.count), ordered};
            channel.by_number = true;
        } else {
            const bool sure = offer.complete && !offer.kept_out;
            const bool lost = !sure || (channel.count != offer.count && !rank.complete);
            const Unmatched reason = ordered || lost ? reason_of(rank, offer, channel.count) : Unmatched::concurrent;
            because(unmatched_like(offer.series), reason) += std::max(channel.count, offer.count);
            return;
        }
        channel.used = true;
        channel.other = offer.channel;
        replies.push_back({.to = offer.from,
                           .channel = offer.channel,
                           .other = mine.second,
                           .by_number = channel.by_number,
                           .count = channel.count});
    }

    // True when the receives are certain to be those of the first sends, or of all. The sender's records must be
    // complete. Then equal counts mean that nothing is missing; and a receiver that was cut off lacks only its last
    // receives.
    static bool can_only_end_early(const RankEvents& rank, const Channel& channel, const Offer& offer) {
        if (!offer.complete || offer.kept_out) return false;
        const bool rest_never_came = rank.complete && rank.cut && !rank.left_posts && channel.count < offer.count;
        return channel.count == offer.count || rest_never_came;
    }

    static Unmatched reason_of(const RankEvents& rank, const Offer& offer, std::uint32_t received) {
        if (!offer.complete) return Unmatched::incomplete;
        if (offer.kept_out) return Unmatched::not_recorded;
        if (received != offer.count && !rank.complete) return Unmatched::incomplete;
        const Channel incoming{.peer = offer.from, .comm = offer.comm, .tag = offer.tag};
        return rank.keeps_out(incoming) ? Unmatched::not_recorded : Unmatched::unequal;
    }

    using Incoming = std::map<std::tuple<std::uint32_t, std::uint64_t, std::int32_t, std::uint64_t>, std::uint32_t>;
    const Incoming& incoming(std::uint32_t number) {
        const auto [at, fresh] = incoming_.try_emplace(number);
        if (!fresh) return at->second;
        const RankEvents& rank = ranks_.of(number);
        for (std::uint32_t i = 0; i < rank.channels.size(); ++i)
            if (const Channel& channel = rank.channels[i]; !channel.outgoing)
                at->second.emplace(std::tuple{channel.peer, channel.comm, channel.tag, channel.series}, i);
        return at->second;
    }

    // Counts receives on channels into which nobody sent. The sender decides the reason, since it knows whether its
    // records are complete.
    void count_unoffered() {
        std::vector<Unoffered> all;
        for (const RankEvents& rank : ranks_.all())
            for (std::uint32_t i = 0; i < rank.channels.size(); ++i)
                if (const Channel& channel = rank.channels[i]; !channel.outgoing && !offered_.contains({rank.rank, i}))
                    all.push_back({.to = channel.peer,
                                   .from = rank.rank,
                                   .comm = channel.comm,
                                   .series = channel.series,
                                   .tag = channel.tag,
                                   .count = channel.count,
                                   .complete = rank.complete,
                                   .kept_out = rank.keeps_out(channel)});
        const auto of_nobody = [&](const Unoffered& unoffered) {
            because(unmatched_like(unoffered.series), Unmatched::incomplete) += unoffered.count;
        };
        for (const Unoffered& unoffered : ranks_.exchange(all, of_nobody)) {
            const RankEvents& sender = ranks_.of(unoffered.to);
            const Channel outgoing{
                .peer = unoffered.from, .comm = unoffered.comm, .tag = unoffered.tag, .outgoing = true};
            const bool incomplete = !sender.complete || (!unoffered.complete && !sender.keeps_out(outgoing));
            const bool kept_out = sender.keeps_out(outgoing) || unoffered.kept_out;
            const Unmatched reason = incomplete ? Unmatched::incomplete
                                     : kept_out ? Unmatched::not_recorded
                                                : Unmatched::unequal;
            because(unmatched_like(unoffered.series), reason) += unoffered.count;
        }
    }

    // --- by number

    void match_by_number(const std::vector<Reply>& replies) {
        std::vector<Claim> claims = ranks_.exchange(own_claims());
        std::map<RankChannel, std::unordered_map<std::uint64_t, std::uint32_t>> wanted; // number to index of the claim
        for (std::uint32_t i = 0; i < claims.size(); ++i)
            wanted[{claims[i].to, claims[i].channel}].emplace(claims[i].number, i);
        for (const Reply& reply : replies)
            if (reply.by_number) wanted.try_emplace({reply.to, reply.channel});
        for (RankEvents& rank : ranks_.all()) number_sent(rank, wanted, claims);
        for (Claim& claim : claims) std::swap(claim.to, claim.from), std::swap(claim.channel, claim.mine);
        OrdersByNumber found;
        for (const Claim& claim : ranks_.exchange(claims))
            if (claim.order != Claim::unknown) found[{claim.to, claim.channel}].emplace(claim.number, claim.order);
        for (RankEvents& rank : ranks_.all()) take_orders(rank, found);
    }

    std::vector<Claim> own_claims() {
        std::vector<Claim> claims;
        for (RankEvents& rank : ranks_.all()) {
            if (!any_by_number(rank)) continue;
            for (const Event& event : rank.events) {
                if (event.role() != Role::receive || !rank.channels[event.index()].by_number || event.number == 0)
                    continue;
                const RankChannel sender = by_number_.at({rank.rank, event.index()}).sender;
                claims.push_back({.to = sender.first,
                                  .from = rank.rank,
                                  .channel = sender.second,
                                  .mine = event.index(),
                                  .number = event.number});
            }
        }
        return claims;
    }

    static bool any_by_number(const RankEvents& rank) {
        return std::ranges::any_of(rank.channels, &Channel::by_number);
    }

    using OrdersByNumber = std::map<RankChannel, std::unordered_map<std::uint64_t, std::uint32_t>>;

    // On the sender's side, messages that were claimed are numbered in their order, and all others lose their role.
    static void number_sent(RankEvents& rank, const OrdersByNumber& wanted, std::vector<Claim>& claims) {
        if (!any_by_number(rank)) return;
        std::map<std::uint32_t, std::uint32_t> next; // by channel: the next order
        for (Event& event : rank.events) {
            if (event.role() != Role::send || !rank.channels[event.index()].by_number) continue;
            const auto numbers = wanted.find({rank.rank, event.index()});
            if (numbers == wanted.end()) continue;
            const auto claim = numbers->second.find(event.number);
            if (event.number == 0 || claim == numbers->second.end() || claims[claim->second].order != Claim::unknown) {
                event.set(Role::none, 0);
                continue;
            }
            event.order = claims[claim->second].order = next[event.index()]++;
        }
        for (const auto& [channel, count] : next) rank.channels[channel].count = count;
    }

    void take_orders(RankEvents& rank, OrdersByNumber& found) {
        if (!any_by_number(rank)) return;
        std::map<std::uint32_t, std::uint32_t> matched; // by channel: count of messages
        std::set<std::uint32_t> unnamed;                // channels in which some receives have no number
        for (Event& event : rank.events) {
            if (event.role() != Role::receive || !rank.channels[event.index()].by_number) continue;
            if (event.number == 0) unnamed.insert(event.index());
            auto& numbers = found[{rank.rank, event.index()}];
            const auto known = numbers.find(event.number);
            if (event.number == 0 || known == numbers.end()) {
                event.set(Role::none, 0);
                continue;
            }
            event.order = known->second;
            ++matched[event.index()];
            numbers.erase(known);
        }
        for (auto known = by_number_.lower_bound({rank.rank, 0}); known != by_number_.end(); ++known) {
            if (known->first.first != rank.rank) break;
            Channel& channel = rank.channels[known->first.second];
            const std::uint32_t count = matched[known->first.second];
            const bool concurrent = !known->second.ordered && unnamed.contains(known->first.second);
            because(unmatched_like(channel.series), concurrent ? Unmatched::concurrent : known->second.reason) +=
                std::max(channel.count, known->second.offered) - count;
            channel.count = count;
            count_matched(channel, count);
        }
    }

    void forget_unmatched(RankEvents& rank) {
        std::vector<std::uint32_t> limit(rank.channels.size(), UINT32_MAX);
        bool any = false;
        for (std::uint32_t i = 0; i < rank.channels.size(); ++i) {
            Channel& channel = rank.channels[i];
            any = any || (!channel.used && channel.count > 0);
            const auto known = limits_.find({rank.rank, i});
            if (known == limits_.end()) continue;
            any = any || known->second < channel.count;
            limit[i] = known->second;
            channel.count = known->second;
        }
        if (!any) return;
        for (Event& event : rank.events)
            if (is_message(event.role()) && (!rank.channels[event.index()].used || event.order >= limit[event.index()]))
                event.set(Role::none, 0);
    }

    // A receiver's channel in which numbers decide which message is which.
    struct ByNumber {
        RankChannel sender;
        std::uint32_t offered = 0;
        Unmatched reason{}; // why messages have no counterpart, unless threads are the reason
        bool ordered = false;
    };

    RanksHere ranks_;
    MatchedEvents& matched_;
    std::map<std::uint32_t, Incoming> incoming_; // by rank
    std::set<RankChannel> offered_;              // receivers' channels for which an Offer came
    std::map<RankChannel, ByNumber> by_number_;
    std::map<RankChannel, std::uint32_t> limits_; // how many messages count, from the first on
};

} // namespace

void match_messages(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched) {
    MatchingMessages{ranks, wire, matched}.run();
}

} // namespace tactus
