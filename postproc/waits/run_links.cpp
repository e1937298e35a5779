#include "postproc/waits/run_links.hpp"

#include "postproc/replay/channels.hpp"

#include <algorithm>
#include <optional>

namespace tactus {
namespace {

// What one member knows of a collective; after add() of all members, what all of them know.
struct Gathering {
    std::uint32_t to = 0;    // rank whose process gets this
    std::uint32_t owner = 0; // rank of the group's owner
    std::uint32_t group = 0; // the owner's number of the group
    std::uint32_t order = 0;
    GlobalTime enter = 0;
    GlobalTime leave = 0;
    std::uint64_t bytes = 0;
    std::uint64_t comm = 0; // identity of the communicator
    std::uint32_t root = 0; // rank in MPI_COMM_WORLD + 1; 0: no root
    Function function{};

    void add(const Gathering& member) {
        enter = std::min(enter, member.enter);
        leave = std::max(leave, member.leave);
        bytes += member.bytes;
        root = std::max(root, member.root);
    }
};

// Returns the rank's part in the collectives `from` <= order < `to` of all groups. `begin` is the index of the first
// event to look at; it is advanced to the first event of a later collective.
std::vector<Gathering> gatherings_of(const RankEvents& rank, const RankCalls& calls, std::uint32_t from,
                                     std::uint32_t to, std::size_t& begin) {
    std::vector<Gathering> found;
    std::vector<std::vector<std::size_t>> places(rank.groups.size()); // in `found`, by group and order
    // Events of entering and leaving that were not seen yet.
    std::size_t open = 0;
    for (const CollectiveGroup& group : rank.groups)
        if (group.used) open += 2 * std::size_t{std::clamp(group.count, from, to) - from};
    std::optional<std::size_t> later;
    std::size_t i = begin;
    for (; i < rank.events.size() && open > 0; ++i, rank.events.pass(i)) {
        const Event& event = rank.events[i];
        const Role role = event.role();
        if (!is_enter(role) && !is_exit(role)) continue;
        if (event.order >= to && !later) later = i;
        if (event.order < from || event.order >= to) continue;
        --open;
        std::vector<std::size_t>& known = places[event.index()];
        if (is_exit(role)) {
            if (event.order - from < known.size()) found[known[event.order - from]].leave = event.stamp;
            continue;
        }
        const CollectiveGroup& group = rank.groups[event.index()];
        known.resize(event.order - from + 1, found.size());
        known.back() = found.size();
        found.push_back({.owner = group.owner,
                         .group = group.owners,
                         .order = event.order,
                         .enter = event.stamp,
                         .leave = event.stamp,
                         .bytes = calls.bytes[i],
                         .comm = group.identity,
                         .root = Partners::from(event.number).root ? rank.rank + 1 : 0,
                         .function = calls.places[calls.facts[i].place].function});
    }
    begin = later.value_or(i);
    return found;
}

// Adds up what the members know of each collective.
std::vector<Gathering> added_up(const std::vector<Gathering>& all) {
    std::vector<Gathering> sums;
    ByNumber<std::uint32_t> groups; // numbers of the groups, by owner and the owner's number
    ByNumber<std::size_t> places;   // indices in `sums`, by number of the group and order
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Gathering& member = all[i];
        if (i == 0 || member.owner != all[i - 1].owner || member.group != all[i - 1].group)
            number = groups.try_emplace(std::uint64_t{member.owner} << 32 | member.group, groups.size()).first->second;
        const auto [place, fresh] = places.try_emplace(std::uint64_t{number} << 32 | member.order, sums.size());
        if (fresh)
            sums.push_back(member);
        else
            sums[place->second].add(member);
    }
    return sums;
}

} // namespace

RunLinks::RunLinks(const std::vector<std::uint64_t>& records) {
    constexpr std::size_t least = 1024;            // sums of some 16 bytes
    constexpr std::size_t records_a_message = 512; // together 2 % of a trace
    constexpr std::size_t records_of_others = 1024;
    for (const std::uint64_t of_rank : records) {
        std::vector<LinkSums>& sums = sums_.emplace_back();
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective}) {
            const std::size_t a_sum = kind == LinkKind::message ? records_a_message : records_of_others;
            sums.emplace_back(kind, std::max<std::size_t>(least, of_rank / a_sum));
        }
    }
}

// To spread the work, the parts of each collective first go to a rank that is chosen by the collective's order. That
// rank adds them up and sends the result to the owner.
void find_collectives(const std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                      const std::vector<RankCalls>& calls, const TakeLink& take) {
    std::vector<std::int64_t> most{0, 0}; // largest number of collectives in a group; highest rank
    for (const RankEvents& rank : ranks) {
        most[1] = std::max<std::int64_t>(most[1], rank.rank);
        for (const CollectiveGroup& group : rank.groups)
            if (group.used) most[0] = std::max<std::int64_t>(most[0], group.count);
    }
    wire.find_most(most);
    const auto spread = static_cast<std::uint64_t>(most[1] + 1);
    const auto at_once =
        // Collectives of each group in a round.
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>((1 << 22) / spread, 256, 1 << 18));
    std::vector<std::size_t> reached(ranks.size());
    for (std::int64_t first = 0; first < most[0] && wire.ok(); first += at_once) {
        const auto from = static_cast<std::uint32_t>(first);
        std::vector<Gathering> known;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const std::vector<Gathering> more = gatherings_of(ranks[i], calls[i], from, from + at_once, reached[i]);
            known.insert(known.end(), more.begin(), more.end());
        }
        if (!wire.alone()) {
            for (Gathering& gathering : known)
                gathering.to = static_cast<std::uint32_t>((std::uint64_t{gathering.owner} + gathering.order) % spread);
            known = added_up(wire.exchange(known));
            for (Gathering& gathering : known) gathering.to = gathering.owner;
            known = wire.exchange(known);
        }
        known = added_up(known);
        for (const Gathering& gathering : known) {
            const auto owner =
                std::lower_bound(ranks.begin(), ranks.end(), gathering.owner,
                                 [](const RankEvents& rank, std::uint32_t number) { return rank.rank < number; });
            if (owner == ranks.end() || owner->rank != gathering.owner) continue; // only after the wire broke
            const auto index = static_cast<std::size_t>(owner - ranks.begin());
            if (gathering.group >= matched.owned[index].size()) continue; // the same
            take(index, LinkKind::collective,
                 {.from = gathering.enter,
                  .to = gathering.leave,
                  .source = gathering.comm,
                  .amount = gathering.bytes,
                  .about = gathering.root,
                  .what = static_cast<std::uint32_t>(gathering.function)});
        }
    }
}

RankLinks RunLinks::take(std::size_t rank) {
    RankLinks links;
    for (std::size_t kind = 0; kind < link_kinds; ++kind) links[kind] = sums_[rank][kind].take();
    return links;
}

} // namespace tactus
