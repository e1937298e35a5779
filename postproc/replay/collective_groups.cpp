#include "postproc/replay/collective_groups.hpp"

#include <algorithm>
#include <numeric>

namespace tactus {

std::optional<NamedRanks> named_ranks(const std::vector<RankRun>& runs, std::uint64_t most) {
    NamedRanks named;
    for (const RankRun& run : runs) {
        if (run.count <= 0) continue;
        std::int64_t way = 0; // from the first rank to the last
        std::int64_t last = 0;
        if (static_cast<std::uint64_t>(run.count) > most - named.count ||
            __builtin_mul_overflow(run.count - 1, run.stride, &way) || __builtin_add_overflow(run.first, way, &last))
            return {};
        const auto [low, high] = std::minmax(run.first, last);
        if (low < 0 || static_cast<std::uint64_t>(high) >= most) return {};
        named.count += static_cast<std::uint32_t>(run.count);
        named.lowest = std::min(named.lowest, static_cast<std::uint32_t>(low));
    }
    return named;
}

std::optional<std::vector<std::uint32_t>> list_of_ranks(const std::vector<RankRun>& runs, std::uint64_t most) {
    if (!named_ranks(runs, most)) return {};
    std::vector<std::uint32_t> ranks;
    for (const RankRun& run : runs)
        for (std::int64_t i = 0; i < run.count; ++i)
            ranks.push_back(static_cast<std::uint32_t>(run.first + i * run.stride));
    return ranks;
}

namespace {

// Lists the neighbors in the order of the topology. A negative number stands for nobody, at the edge of a grid. A rank
// may be listed several times.
std::vector<std::int64_t> neighbors(const std::vector<RankRun>& runs) {
    constexpr std::size_t most = 1 << 16; // a damaged definition may claim any number of neighbors
    std::vector<std::int64_t> ranks;
    for (const RankRun& run : runs)
        for (std::int64_t i = 0; i < run.count && ranks.size() < most; ++i)
            ranks.push_back(
                static_cast<std::int64_t>(static_cast<std::uint64_t>(run.first) +
                                          static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(run.stride)));
    return ranks;
}

} // namespace

CollectiveGroups::CollectiveGroups(const RankFile& file, std::vector<CollectiveGroup>& collective_groups, Lists& lists)
    : file_{file}, collective_groups_{collective_groups}, lists_{lists} {
    lists_.resize(1);
}

const CollectiveGroups::Group& CollectiveGroups::group_of(std::uint32_t number) {
    const auto [at, fresh] = groups_.try_emplace(number);
    Group& group = at->second;
    if (!fresh) return group;
    group.comm = file_.comm(number);
    if (group.comm == nullptr) return group;
    const Comm& comm = *group.comm;
    const std::uint64_t most = ranks_of(file_.header());
    const auto members = named_ranks(comm.members, most);
    const auto remote = named_ranks(comm.remote, most);
    CollectiveGroup& collective_group = group.collective_group;
    collective_group.usable = members && remote && comm.my_rank < members->count;
    if (!collective_group.usable) return group;
    const bool mine_first = members->lowest <= remote->lowest;
    const std::uint32_t size = members->count;
    const std::uint32_t others = remote->count;
    group.mine = mine_first ? 0 : others;
    group.other = others == 0 ? 0 : (mine_first ? size : 0);
    collective_group.size = size + others;
    collective_group.first = mine_first ? size : others;
    collective_group.member = group.mine + comm.my_rank;
    collective_group.owner = std::min(members->lowest, remote->lowest);
    return group;
}

std::uint32_t CollectiveGroups::collective_group(const Group& group, std::uint64_t window, TakesFrom takes_from) {
    const std::uint64_t identity = group.comm->identity;
    const auto [at, fresh] =
        known_.try_emplace({identity, window, takes_from}, static_cast<std::uint32_t>(collective_groups_.size()));
    if (fresh) {
        CollectiveGroup added = group.collective_group;
        added.identity = identity;
        added.window = window;
        added.takes_from = takes_from;
        collective_groups_.push_back(added);
    }
    return at->second;
}

std::uint32_t CollectiveGroups::list(std::vector<std::uint32_t> members) {
    std::sort(members.begin(), members.end());
    const auto [at, fresh] = known_lists_.try_emplace(members, static_cast<std::uint32_t>(lists_.size()));
    if (fresh) lists_.push_back(std::move(members));
    return at->second;
}

std::optional<Participation> CollectiveGroups::part_in_collective(const Signature& what, Words words) {
    const Shape shape = shape_of(what.function);
    const Pattern pattern = pattern_of(shape);
    const Group& group = group_of(what.comm);
    if (group.comm == nullptr) return {};
    Participation part;
    if (needs_all_members(what.function)) {
        part.group = collective_group(group, 0, TakesFrom::all);
        part.gives = part.takes = true;
        return part;
    }
    const bool lists = pattern == Pattern::neighbors || shape == Shape::alltoallv || shape == Shape::alltoallw;
    const TakesFrom takes_from = lists                        ? TakesFrom::by_lists
                                 : pattern == Pattern::prefix ? TakesFrom::lower
                                                              : TakesFrom::all;
    part.group = collective_group(group, 0, takes_from);
    if (pattern == Pattern::neighbors)
        by_neighbor(part, group, what, words);
    else if (lists)
        by_pair(part, group, words);
    else
        by_pattern(part, group, what, words);
    return part;
}

std::optional<Participation> CollectiveGroups::part_of_fence(std::uint32_t comm, std::uint64_t window, bool waits) {
    const Group& group = group_of(comm);
    if (group.comm == nullptr || window == 0) return {};
    return Participation{.group = collective_group(group, window, TakesFrom::all), .gives = true, .takes = waits};
}

void CollectiveGroups::by_pattern(Participation& part, const Group& group, const Signature& what, Words words) {
    const Shape shape = shape_of(what.function);
    const bool moves = what.bytes > 0;
    // In an intercommunicator the root passes MPI_ROOT, the others of its group pass MPI_PROC_NULL, and the members of
    // the other group pass the root's rank.
    const bool inter = !group.comm->remote.empty();
    const bool root = inter ? what.peer == peer::root : what.peer == static_cast<std::int32_t>(group.comm->my_rank);
    const bool nothing = what.peer == peer::proc_null;
    const std::vector<ByteVector> vectors = byte_vectors_of(words);
    switch (pattern_of(shape)) {
    case Pattern::barrier:
        part.gives = part.takes = true;
        return;
    case Pattern::one_to_all:
        part.root = root;
        part.gives = root && (moves || shape == Shape::scatterv);
        part.takes = !root && !nothing && moves;
        if (part.takes && what.peer >= 0) part.sources = list({group.other + static_cast<std::uint32_t>(what.peer)});
        return;
    case Pattern::all_to_one:
        part.gives = !root && !nothing && moves;
        part.takes = part.root = root;
        if (root && !vectors.empty()) take_from(part, group, vectors.front());
        return;
    default:
        part.gives = part.takes = moves;
    }
    if (vectors.empty()) {
        if (inter) part.takes = true; // the other group may send more bytes than this rank does
    } else if (shape == Shape::allgatherv) {
        take_from(part, group, vectors.front());
    } else if (shape == Shape::reduce_scatter) {
        part.gives = vectors.front().sum() > 0;
        part.takes =
            inter || (group.comm->my_rank < vectors.front().ranks && vectors.front().at(group.comm->my_rank) > 0);
    }
}

void CollectiveGroups::by_pair(Participation& part, const Group& group, Words words) {
    const std::vector<ByteVector> vectors = byte_vectors_of(words);
    if (vectors.size() < 2) return; // the words were cut: the call gives and takes nothing
    const std::optional<std::uint32_t> to = those_with(group, vectors[0]);
    part.gives = to.has_value();
    part.destinations = to.value_or(0);
    take_from(part, group, vectors[1]);
}

void CollectiveGroups::take_from(Participation& part, const Group& group, const ByteVector& bytes) {
    const std::optional<std::uint32_t> from = those_with(group, bytes);
    part.takes = from.has_value();
    part.sources = from.value_or(0);
}

std::optional<std::uint32_t> CollectiveGroups::those_with(const Group& group, const ByteVector& bytes) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < bytes.ranks && group.other + i < group.collective_group.size; ++i)
        if (bytes.at(i) > 0 && group.other + i != group.collective_group.member) members.push_back(group.other + i);
    if (members.empty()) return {};
    const bool inter = !group.comm->remote.empty();
    const std::size_t everybody =
        inter ? group.collective_group.size - group.comm->size() : group.collective_group.size - 1;
    return members.size() < everybody ? list(std::move(members)) : 0;
}

void CollectiveGroups::by_neighbor(Participation& part, const Group& group, const Signature& what, Words words) {
    const std::vector<std::int64_t> sources = neighbors(group.comm->sources);
    const std::vector<std::int64_t> destinations = neighbors(group.comm->destinations);
    const std::vector<ByteVector> vectors = byte_vectors_of(words);
    // An allgather has one vector: the bytes received, by source. An alltoall has two: the bytes sent, by destination,
    // and the bytes received.
    const ByteVector* const received = vectors.empty() ? nullptr : &vectors.back();
    const ByteVector* const sent = vectors.size() < 2 ? nullptr : &vectors.front();
    const auto members = [&](const std::vector<std::int64_t>& ranks, const ByteVector* bytes) {
        std::vector<std::uint32_t> list;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const bool moves = bytes == nullptr ? what.bytes > 0 : i < bytes->ranks && bytes->at(i) > 0;
            const bool there = ranks[i] >= 0 && ranks[i] < std::int64_t{group.collective_group.size};
            if (moves && there && ranks[i] != std::int64_t{group.collective_group.member})
                list.push_back(static_cast<std::uint32_t>(ranks[i]));
        }
        return list;
    };
    const std::vector<std::uint32_t> from = members(sources, received);
    const std::vector<std::uint32_t> to = members(destinations, sent);
    part.gives = !to.empty();
    part.takes = !from.empty();
    if (part.gives) part.destinations = list(to);
    if (part.takes) part.sources = list(from);
}

} // namespace tactus
