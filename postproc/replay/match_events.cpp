#include "postproc/replay/match_events.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tactus {
namespace {

// What was sent on a channel, told to the receiver.
struct Offer {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint64_t comm = 0;
    std::uint64_t series = 0;
    std::int32_t tag = 0;
    std::uint32_t channel = 0;
    std::uint32_t count = 0;
    bool threads = false;
    bool complete = false; // none of them can be missing
    bool kept_out = false; // some were not recorded
};

// What the receiver makes of it.
struct Reply {
    std::uint32_t to = 0;
    std::uint32_t channel = 0;
    std::uint32_t other = 0; // the receiver's channel
    bool by_number = false;
    bool all = false; // else the first `count`
    std::uint32_t count = 0;
};

// A message that a receiver knows by its number, and the answer: its order among those claimed.
struct Claim {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint32_t channel = 0; // of who is asked
    std::uint32_t mine = 0;    // of who asks
    std::uint64_t number = 0;
    std::uint32_t order = UINT32_MAX;
};

struct Coming {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint64_t identity = 0;
    std::uint64_t window = 0;
    std::uint32_t group = 0;
    std::uint32_t count = 0;
    std::uint32_t ahead = 0;
    std::uint32_t size = 0;
    std::uint32_t first = 0;
    std::uint32_t member = 0;
    TakesFrom takes_from{};
    bool complete = false;
    bool cut = false;
};

struct Accepted {
    std::uint32_t to = 0;
    std::uint32_t group = 0;
    std::uint32_t owners = 0;
    std::uint32_t count = 0; // collectives that all members made
    Unmatched reason{};      // when it is none
};

class MatchingEvents {
  public:
    MatchingEvents(std::vector<RankEvents>& ranks, ReplayWire& wire) : ranks_{ranks}, wire_{wire} {
        matched_.owned.resize(ranks.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) index_[ranks[i].rank] = i;
    }

    MatchedEvents run() {
        match_messages();
        match_collectives();
        return std::move(matched_);
    }

  private:
    RankEvents& rank(std::uint32_t number) { return ranks_[index_.find(number)->second]; }

    // Without what is for ranks that the trace lacks.
    template <class Item> std::vector<Item> exchange(const std::vector<Item>& items) {
        std::vector<Item> received = wire_.exchange(items);
        std::erase_if(received, [&](const Item& item) { return !index_.contains(item.to); });
        return received;
    }

    // --- messages

    void match_messages() {
        std::vector<Offer> offers;
        for (const RankEvents& one : ranks_)
            for (std::uint32_t i = 0; i < one.channels.size(); ++i)
                if (const Channel& channel = one.channels[i]; channel.outgoing)
                    offers.push_back({.to = channel.peer,
                                      .from = one.rank,
                                      .comm = channel.comm,
                                      .series = channel.series,
                                      .tag = channel.tag,
                                      .channel = i,
                                      .count = channel.count,
                                      .threads = channel.threads,
                                      .complete = one.complete,
                                      .kept_out = one.keeps_out(channel)});
        std::vector<Reply> replies;
        for (const Offer& offer : exchange(offers)) answer(offer, replies);
        for (RankEvents& one : ranks_) count_unasked(one);
        replies = exchange(replies);
        for (const Reply& reply : replies) {
            RankEvents& sender = rank(reply.to);
            Channel& channel = sender.channels[reply.channel];
            channel.other = reply.other;
            channel.used = true;
            channel.by_number = reply.by_number;
            if (!reply.by_number) limits_[{reply.to, reply.channel}] = reply.count;
        }
        for (RankEvents& one : ranks_) count_unheard(one);
        claim_by_number(replies);
        for (RankEvents& one : ranks_) forget_messages(one);
    }

    // The receiver's side.
    void answer(const Offer& offer, std::vector<Reply>& replies) {
        RankEvents& one = rank(offer.to);
        const auto mine = incoming(offer.to).find({offer.from, offer.comm, offer.tag, offer.series});
        if (mine == incoming(offer.to).end()) {
            one.leave_out(reason_of(one, offer, 0), offer.count);
            return;
        }
        Channel& channel = one.channels[mine->second];
        asked_.insert({offer.to, mine->second});
        const bool equal = channel.count == offer.count;
        const bool ordered = !channel.overtaken && !channel.threads && !offer.threads;
        Reply reply{.to = offer.from,
                    .channel = offer.channel,
                    .other = mine->second,
                    .count = std::min(channel.count, offer.count)};
        const bool sure = offer.complete && !offer.kept_out;
        // Of a sender of which nothing is missing, as many receives as sends are all there were; of a receiver that was
        // cut off, the last are missing.
        const bool rest_never_came = one.complete && one.cut && !one.left_posts && channel.count < offer.count;
        if (ordered && sure && (equal || rest_never_came)) {
            channel.used = true;
            matched_.messages += reply.count;
            if (!equal) one.leave_out(Unmatched::unequal, offer.count - channel.count);
            limits_[{offer.to, mine->second}] = reply.count;
        } else if (channel.any_named) {
            reply.by_number = true;
            channel.used = true;
            channel.by_number = true;
            by_number_.insert({offer.to, mine->second});
            claims_of_[{offer.to, mine->second}] = {offer.from, offer.channel};
            reasons_[{offer.to, mine->second}] = ordered ? reason_of(one, offer, channel.count) : Unmatched::concurrent;
            offered_[{offer.to, mine->second}] = offer.count;
        } else {
            const bool lost = !sure || (!equal && !one.complete);
            one.leave_out(ordered || lost ? reason_of(one, offer, channel.count) : Unmatched::concurrent,
                          std::max(channel.count, offer.count));
            return;
        }
        channel.other = offer.channel;
        replies.push_back(reply);
    }

    static Unmatched reason_of(const RankEvents& one, const Offer& offer, std::uint32_t received) {
        if (!offer.complete) return Unmatched::incomplete;
        if (offer.kept_out) return Unmatched::not_recorded;
        if (received != offer.count && !one.complete) return Unmatched::incomplete;
        const Channel incoming{.peer = offer.from, .comm = offer.comm, .tag = offer.tag};
        return one.keeps_out(incoming) ? Unmatched::not_recorded : Unmatched::unequal;
    }

    using Incoming = std::map<std::tuple<std::uint32_t, std::uint64_t, std::int32_t, std::uint64_t>, std::uint32_t>;
    const Incoming& incoming(std::uint32_t number) {
        const auto [at, fresh] = incoming_.try_emplace(number);
        if (!fresh) return at->second;
        const RankEvents& one = rank(number);
        for (std::uint32_t i = 0; i < one.channels.size(); ++i)
            if (const Channel& channel = one.channels[i]; !channel.outgoing)
                at->second.emplace(std::tuple{channel.peer, channel.comm, channel.tag, channel.series}, i);
        return at->second;
    }

    // What was sent to ranks that the trace lacks.
    void count_unheard(RankEvents& one) {
        for (const Channel& channel : one.channels)
            if (channel.outgoing && wire_.plays(channel.peer) && !index_.contains(channel.peer))
                one.leave_out(Unmatched::incomplete, channel.count);
    }

    // What was received on a channel nobody sent into: the sender's records are not there.
    void count_unasked(RankEvents& one) {
        for (std::uint32_t i = 0; i < one.channels.size(); ++i)
            if (const Channel& channel = one.channels[i]; !channel.outgoing && !asked_.contains({one.rank, i}))
                one.leave_out(one.keeps_out(channel) ? Unmatched::not_recorded : Unmatched::incomplete, channel.count);
    }

    void claim_by_number(const std::vector<Reply>& replies) {
        std::vector<Claim> claims;
        for (RankEvents& one : ranks_)
            for (Event& event : one.events) {
                if (event.role() != Role::receive || !one.channels[event.place()].by_number) continue;
                const auto [to, channel] = claims_of_.at({one.rank, event.place()});
                if (event.number != 0)
                    claims.push_back({.to = to,
                                      .from = one.rank,
                                      .channel = channel,
                                      .mine = event.place(),
                                      .number = event.number});
            }
        claims = exchange(claims);
        std::map<Place, std::unordered_map<std::uint64_t, std::uint32_t>> wanted; // by number: index of the claim
        for (std::uint32_t i = 0; i < claims.size(); ++i)
            wanted[{claims[i].to, claims[i].channel}].emplace(claims[i].number, i);
        for (const Reply& reply : replies)
            if (reply.by_number) wanted.try_emplace({reply.to, reply.channel});
        for (RankEvents& one : ranks_) {
            std::map<std::uint32_t, std::uint32_t> next; // of a channel
            for (Event& event : one.events) {
                if (event.role() != Role::send || !one.channels[event.place()].by_number) continue;
                const auto numbers = wanted.find({one.rank, event.place()});
                if (numbers == wanted.end()) continue;
                const auto claim = numbers->second.find(event.number);
                if (event.number == 0 || claim == numbers->second.end() || claims[claim->second].order != UINT32_MAX) {
                    event.set(Role::none, 0);
                    continue;
                }
                event.order = claims[claim->second].order = next[event.place()]++;
            }
            for (const auto& [channel, count] : next) one.channels[channel].count = count;
        }
        for (Claim& claim : claims) std::swap(claim.to, claim.from), std::swap(claim.channel, claim.mine);
        std::map<Place, std::unordered_map<std::uint64_t, std::uint32_t>> found;
        for (const Claim& claim : exchange(claims))
            if (claim.order != UINT32_MAX) found[{claim.to, claim.channel}].emplace(claim.number, claim.order);
        for (RankEvents& one : ranks_) take_found(one, found);
    }

    using Place = std::pair<std::uint32_t, std::uint32_t>; // rank and channel

    void take_found(RankEvents& one, std::map<Place, std::unordered_map<std::uint64_t, std::uint32_t>>& found) {
        std::map<std::uint32_t, std::uint32_t> paired;
        for (Event& event : one.events) {
            if (event.role() != Role::receive || !one.channels[event.place()].by_number) continue;
            auto& numbers = found[{one.rank, event.place()}];
            const auto known = numbers.find(event.number);
            if (event.number == 0 || known == numbers.end()) {
                event.set(Role::none, 0);
                continue;
            }
            event.order = known->second;
            ++paired[event.place()];
            numbers.erase(known);
        }
        for (const Place& place : by_number_) {
            if (place.first != one.rank) continue;
            Channel& channel = one.channels[place.second];
            const std::uint32_t count = paired[place.second];
            one.leave_out(reasons_[place], std::max(channel.count, offered_[place]) - count);
            channel.count = count;
            matched_.messages += count;
        }
    }

    void forget_messages(RankEvents& one) {
        std::vector<std::uint32_t> limit(one.channels.size(), UINT32_MAX);
        for (std::uint32_t i = 0; i < one.channels.size(); ++i) {
            const auto known = limits_.find({one.rank, i});
            if (known == limits_.end()) continue;
            limit[i] = known->second;
            one.channels[i].count = known->second;
        }
        for (Event& event : one.events)
            if (is_message(event.role()) && (!one.channels[event.place()].used || event.order >= limit[event.place()]))
                event.set(Role::none, 0);
    }

    // --- collectives

    void match_collectives() {
        std::vector<Coming> coming;
        for (const RankEvents& one : ranks_)
            for (std::uint32_t i = 0; i < one.groups.size(); ++i)
                if (const CollectiveGroup& group = one.groups[i]; group.usable)
                    coming.push_back({.to = group.owner,
                                      .from = one.rank,
                                      .identity = group.identity,
                                      .window = group.window,
                                      .group = i,
                                      .count = group.count,
                                      .ahead = group.ahead,
                                      .size = group.size,
                                      .first = group.first,
                                      .member = group.member,
                                      .takes_from = group.takes_from,
                                      .complete = one.complete && !one.keeps_out(group),
                                      .cut = one.cut});
        coming = exchange(coming);
        const auto key = [](const Coming& one) {
            return std::tuple{one.to, one.identity, one.window, one.takes_from, one.member, one.from};
        };
        std::sort(coming.begin(), coming.end(), [&](const Coming& a, const Coming& b) { return key(a) < key(b); });
        std::vector<Accepted> accepted;
        for (std::size_t first = 0; first < coming.size();) {
            std::size_t end = first + 1;
            const auto same = [](const Coming& a, const Coming& b) {
                return a.to == b.to && a.identity == b.identity && a.window == b.window && a.takes_from == b.takes_from;
            };
            while (end < coming.size() && same(coming[end], coming[first])) ++end;
            accept({coming.data() + first, end - first}, accepted);
            first = end;
        }
        for (const Accepted& one : exchange(accepted)) {
            RankEvents& member = rank(one.to);
            CollectiveGroup& group = member.groups[one.group];
            group.used = one.count > 0;
            group.answered = true;
            group.owners = one.owners;
            const std::uint32_t made = group.count;
            group.count = one.count;
            if (one.count < made) member.leave_out(one.reason, made - one.count);
        }
        for (RankEvents& one : ranks_) forget_collectives(one);
    }

    // Those of one circle, by member.
    void accept(std::span<const Coming> coming, std::vector<Accepted>& accepted) {
        const Coming& any = coming.front();
        bool whole = coming.size() == any.size;
        bool complete = whole;
        bool cut = false;
        std::uint32_t least = any.count;
        bool equal = true;
        for (std::size_t i = 0; i < coming.size(); ++i) {
            const Coming& one = coming[i];
            whole = whole && one.member == i && one.size == any.size && one.first == any.first;
            complete = complete && one.complete;
            cut = cut || one.cut;
            equal = equal && one.count == any.count;
            least = std::min(least, one.count);
        }
        // Where ranks were cut off, the last are missing.
        const bool good = whole && complete && (equal || cut);
        std::vector<OwnedCollectiveGroup>& owned = matched_.owned[index_.find(any.to)->second];
        const auto number = static_cast<std::uint32_t>(owned.size());
        OwnedCollectiveGroup group{.takes_from = any.takes_from, .first = any.first, .count = least, .members = {}};
        for (const Coming& one : coming) {
            group.members.push_back({one.from, one.group});
            group.ahead = std::max(group.ahead, one.ahead);
            accepted.push_back({.to = one.from,
                                .group = one.group,
                                .owners = number,
                                .count = good ? least : 0,
                                .reason = complete ? Unmatched::unequal : Unmatched::incomplete});
        }
        if (good) owned.push_back(std::move(group));
    }

    void forget_collectives(RankEvents& one) {
        for (const CollectiveGroup& group : one.groups)
            if (!group.answered) one.leave_out(group.usable ? Unmatched::incomplete : Unmatched::outside, group.count);
        for (Event& event : one.events) {
            const bool come = is_come(event.role());
            if (!come && !is_go(event.role())) continue;
            const CollectiveGroup& group = one.groups[event.place()];
            if (!group.used || event.order >= group.count)
                event.set(Role::none, 0);
            else
                matched_.collectives += come ? 1 : 0;
        }
        one.events.erase_if([](const Event& event) { return event.role() == Role::none; });
    }

    std::vector<RankEvents>& ranks_;
    ReplayWire& wire_;
    MatchedEvents matched_;
    std::unordered_map<std::uint32_t, std::size_t> index_;
    std::map<std::uint32_t, Incoming> incoming_; // by rank
    std::set<Place> asked_;
    std::set<Place> by_number_;                                          // receivers' channels
    std::map<Place, std::pair<std::uint32_t, std::uint32_t>> claims_of_; // of these: the sender and its channel
    std::map<Place, Unmatched> reasons_;
    std::map<Place, std::uint32_t> offered_;
    std::map<Place, std::uint32_t> limits_; // messages that count
};

} // namespace

MatchedEvents match_events(std::vector<RankEvents>& ranks, ReplayWire& wire) {
    return MatchingEvents{ranks, wire}.run();
}

} // namespace tactus
