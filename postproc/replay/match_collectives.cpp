#include "postproc/replay/match_collectives.hpp"

#include "postproc/replay/ranks_here.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

namespace tactus {
namespace {

// What a member tells the owner of its group. `from` is the member, and `group` its own index of the group.
struct Entry {
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

// The owner's answer to an Entry.
struct Accepted {
    std::uint32_t to = 0;
    std::uint32_t group = 0;
    std::uint32_t owners = 0;
    std::uint32_t count = 0; // collectives that all members made; 0: the group is left out
    Unmatched reason{};      // why collectives beyond `count` have no counterpart
};

class MatchingCollectives {
  public:
    MatchingCollectives(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched)
        : ranks_{ranks, wire}, matched_{matched} {}

    void run() {
        std::vector<Entry> entries = ranks_.exchange(own_entries());
        const auto key = [](const Entry& entry) {
            return std::tuple{entry.to, entry.identity, entry.window, entry.takes_from, entry.member, entry.from};
        };
        std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
        std::vector<Accepted> accepted;
        for (std::size_t first = 0; first < entries.size();) {
            std::size_t end = first + 1;
            const auto same = [](const Entry& a, const Entry& b) {
                return a.to == b.to && a.identity == b.identity && a.window == b.window && a.takes_from == b.takes_from;
            };
            while (end < entries.size() && same(entries[end], entries[first])) ++end;
            accept({entries.data() + first, end - first}, accepted);
            first = end;
        }
        for (const Accepted& answer : ranks_.exchange(accepted)) take(answer);
        for (RankEvents& rank : ranks_.all()) forget_unmatched(rank);
    }

  private:
    std::vector<Entry> own_entries() {
        std::vector<Entry> entries;
        for (const RankEvents& rank : ranks_.all())
            for (std::uint32_t i = 0; i < rank.groups.size(); ++i)
                if (const CollectiveGroup& group = rank.groups[i]; group.usable)
                    entries.push_back({.to = group.owner,
                                       .from = rank.rank,
                                       .identity = group.identity,
                                       .window = group.window,
                                       .group = i,
                                       .count = group.count,
                                       .ahead = group.ahead,
                                       .size = group.size,
                                       .first = group.first,
                                       .member = group.member,
                                       .takes_from = group.takes_from,
                                       .complete = rank.complete && !rank.keeps_out(group),
                                       .cut = rank.cut});
        return entries;
    }

    void take(const Accepted& answer) {
        CollectiveGroup& group = ranks_.of(answer.to).groups[answer.group];
        group.used = answer.count > 0;
        group.answered = true;
        group.owners = answer.owners;
        const std::uint32_t made = group.count;
        group.count = answer.count;
        matched_.collectives += answer.count;
        if (answer.count == made) return;
        because(matched_.unmatched_others, answer.reason) += made - answer.count;
        with_unmatched_.insert(answer.to);
    }

    // Answers all entries of one group, which are ordered by member.
    void accept(std::span<const Entry> entries, std::vector<Accepted>& accepted) {
        const Entry& any = entries.front();
        bool whole = entries.size() == any.size;
        bool complete = whole;
        bool cut = false;
        std::uint32_t least = any.count;
        bool equal = true;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Entry& entry = entries[i];
            whole = whole && entry.member == i && entry.size == any.size && entry.first == any.first;
            complete = complete && entry.complete;
            cut = cut || entry.cut;
            equal = equal && entry.count == any.count;
            least = std::min(least, entry.count);
        }
        // A rank that was cut off lacks its last collectives and no others.
        const bool good = whole && complete && (equal || cut);
        std::vector<OwnedCollectiveGroup>& owned = matched_.owned[ranks_.index_of(any.to)];
        const auto number = static_cast<std::uint32_t>(owned.size());
        OwnedCollectiveGroup group{.takes_from = any.takes_from, .first = any.first, .count = least, .members = {}};
        for (const Entry& entry : entries) {
            group.members.push_back({entry.from, entry.group});
            group.ahead = std::max(group.ahead, entry.ahead);
            accepted.push_back({.to = entry.from,
                                .group = entry.group,
                                .owners = number,
                                .count = good ? least : 0,
                                .reason = complete ? Unmatched::unequal : Unmatched::incomplete});
        }
        if (good) owned.push_back(std::move(group));
    }

    void forget_unmatched(RankEvents& rank) {
        for (const CollectiveGroup& group : rank.groups) {
            if (group.answered) continue;
            because(matched_.unmatched_others, group.usable ? Unmatched::incomplete : Unmatched::outside) +=
                group.count;
            with_unmatched_.insert(rank.rank);
        }
        if (!with_unmatched_.contains(rank.rank)) return;
        for (Event& event : rank.events) {
            if (!is_enter(event.role()) && !is_exit(event.role())) continue;
            const CollectiveGroup& group = rank.groups[event.index()];
            if (!group.used || event.order >= group.count) event.set(Role::none, 0);
        }
    }

    RanksHere ranks_;
    MatchedEvents& matched_;
    std::set<std::uint32_t> with_unmatched_; // ranks that made collectives without a counterpart
};

} // namespace

void match_collectives(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched) {
    MatchingCollectives{ranks, wire, matched}.run();
}

} // namespace tactus
