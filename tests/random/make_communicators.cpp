/* Every way to make a communicator. The plan chooses the members. Members call MPI; other ranks only note it. */
#include "make_communicators.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace {

using Maker = New_communicators (*)(const Communicator&);

std::unique_ptr<Communicator> with_members(Members members) {
    auto made = std::make_unique<Communicator>();
    made->groups[0] = std::move(members);
    return made;
}

New_communicators only(std::unique_ptr<Communicator> comm) {
    New_communicators list;
    list.push_back(std::move(comm));
    return list;
}

Members random_part(const Members& members) {
    Members part = members;
    here.plan.shuffle(part);
    part.resize(static_cast<std::size_t>(here.plan.between(1, static_cast<int>(part.size()))));
    return part;
}

MPI_Group group_of(const Communicator& comm, const Members& members) {
    Members ranks;
    for (int member : members) ranks.push_back(comm.rank_of(member));
    MPI_Group all, part;
    must(MPI_Comm_group(comm.handle, &all));
    must(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &part));
    must(MPI_Group_free(&all));
    return part;
}

New_communicators dup(const Communicator& parent) {
    auto made = copy_of(parent);
    const bool with_info = here.plan.coin();
    if (parent.has(here.rank))
        must(with_info ? MPI_Comm_dup_with_info(parent.handle, MPI_INFO_NULL, &made->handle)
                       : MPI_Comm_dup(parent.handle, &made->handle));
    return only(std::move(made));
}

/* Colors and keys in any order. Some members get no color. */
New_communicators split(const Communicator& parent) {
    if (parent.inter()) return {};
    const int colors = here.plan.between(1, 3);
    std::map<int, Members> members;
    int my_color = MPI_UNDEFINED, my_key = 0;
    const Members in_key_order = [&] {
        Members shuffled = parent.groups[0];
        here.plan.shuffle(shuffled);
        return shuffled;
    }();
    for (std::size_t key = 0; key < in_key_order.size(); key++) {
        const int color = here.plan.one_in(8) ? MPI_UNDEFINED : here.plan.below(colors);
        if (color != MPI_UNDEFINED) members[color].push_back(in_key_order[key]);
        if (in_key_order[key] != here.rank) continue;
        my_color = color;
        my_key = static_cast<int>(key) * 3 - 5;
    }
    MPI_Comm mine = MPI_COMM_NULL;
    if (parent.has(here.rank)) must(MPI_Comm_split(parent.handle, my_color, my_key, &mine));
    New_communicators made;
    for (auto& [color, list] : members) {
        made.push_back(with_members(list));
        if (color == my_color) made.back()->handle = mine;
    }
    return made;
}

/* MPI_Comm_create is called by all ranks of the parent, MPI_Comm_create_group by the new members only. */
New_communicators from_group(const Communicator& parent) {
    if (parent.inter()) return {};
    auto made = with_members(random_part(parent.groups[0]));
    const bool by_members = here.plan.coin();
    const int tag = here.next_tag++;
    if (by_members ? made->has(here.rank) : parent.has(here.rank)) {
        MPI_Group group = group_of(parent, made->groups[0]);
        must(by_members ? MPI_Comm_create_group(parent.handle, group, tag, &made->handle)
                        : MPI_Comm_create(parent.handle, group, &made->handle));
        must(MPI_Group_free(&group));
    }
    return only(std::move(made));
}

std::vector<int> coordinates(const std::vector<int>& dims, int rank) {
    std::vector<int> found(dims.size());
    for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d]) found[d] = rank % dims[d];
    return found;
}

/* The neighbors in MPI's order: in each dimension first the lower one, then the upper one. */
void add_cartesian_neighbors(Communicator& comm) {
    for (int rank = 0; rank < static_cast<int>(comm.groups[0].size()); rank++) {
        const std::vector<int> at = coordinates(comm.dims, rank);
        Members& neighbors = comm.destinations.emplace_back();
        for (std::size_t d = 0, stride; d < comm.dims.size(); d++) {
            stride = 1;
            for (std::size_t after = d + 1; after < comm.dims.size(); after++)
                stride *= static_cast<std::size_t>(comm.dims[after]);
            for (int step : {-1, 1}) {
                const int to = at[d] + step, size = comm.dims[d];
                const bool outside = (to < 0 || to >= size) && !comm.periods[d];
                const int moved = (to + size) % size - at[d];
                neighbors.push_back(outside ? MPI_PROC_NULL : rank + moved * static_cast<int>(stride));
            }
        }
        comm.sources.push_back(neighbors);
    }
}

New_communicators cartesian(const Communicator& parent) {
    if (parent.inter()) return {};
    const int size = static_cast<int>(parent.groups[0].size()), across = here.plan.between(1, size);
    std::vector<int> dims{across, here.plan.between(1, size / across)};
    if (here.plan.one_in(3)) dims.pop_back();
    if (here.plan.one_in(4)) dims.push_back(1);
    const std::size_t used =
        std::accumulate(dims.begin(), dims.end(), std::size_t{1},
                        [](std::size_t product, int dim) { return product * static_cast<std::size_t>(dim); });
    auto made =
        with_members(Members(parent.groups[0].begin(), parent.groups[0].begin() + static_cast<std::ptrdiff_t>(used)));
    made->dims = dims;
    for (std::size_t d = 0; d < dims.size(); d++) made->periods.push_back(here.plan.coin());
    if (parent.has(here.rank))
        must(MPI_Cart_create(parent.handle, static_cast<int>(dims.size()), dims.data(), made->periods.data(), 0,
                             &made->handle));
    add_cartesian_neighbors(*made);
    return only(std::move(made));
}

/* All slices of a Cartesian communicator that keep some dimensions. */
New_communicators slices(const Communicator& parent) {
    if (parent.dims.empty()) return {};
    std::vector<int> kept;
    for (std::size_t d = 0; d < parent.dims.size(); d++) kept.push_back(here.plan.coin());
    if (std::ranges::count(kept, 1) == 0) kept[0] = 1;
    std::map<std::vector<int>, Members> members; // by the coordinates that are not kept
    for (std::size_t rank = 0; rank < parent.groups[0].size(); rank++) {
        std::vector<int> at = coordinates(parent.dims, static_cast<int>(rank));
        for (std::size_t d = 0; d < kept.size(); d++)
            if (kept[d]) at[d] = 0;
        members[at].push_back(parent.groups[0][rank]);
    }
    MPI_Comm mine = MPI_COMM_NULL;
    if (parent.has(here.rank)) must(MPI_Cart_sub(parent.handle, kept.data(), &mine));
    New_communicators made;
    for (auto& [at, list] : members) {
        auto& slice = *made.emplace_back(with_members(list));
        if (slice.has(here.rank)) slice.handle = mine;
        for (std::size_t d = 0; d < kept.size(); d++) {
            if (!kept[d]) continue;
            slice.dims.push_back(parent.dims[d]);
            slice.periods.push_back(parent.periods[d]);
        }
        add_cartesian_neighbors(slice);
    }
    return made;
}

New_communicators graph(const Communicator& parent) {
    if (parent.inter()) return {};
    auto made = with_members(parent.groups[0]);
    const int size = static_cast<int>(parent.groups[0].size());
    made->sources.resize(parent.groups[0].size());
    made->destinations.resize(parent.groups[0].size());
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            if (here.plan.one_in(2)) {
                made->destinations[static_cast<std::size_t>(from)].push_back(to);
                made->sources[static_cast<std::size_t>(to)].push_back(from);
            }
    for (auto& list : made->sources) here.plan.shuffle(list);
    for (auto& list : made->destinations) here.plan.shuffle(list);
    if (!parent.has(here.rank)) return only(std::move(made));
    const auto mine = static_cast<std::size_t>(parent.rank_of(here.rank));
    const Members &in = made->sources[mine], &out = made->destinations[mine];
    must(MPI_Dist_graph_create_adjacent(parent.handle, static_cast<int>(in.size()), in.data(), MPI_UNWEIGHTED,
                                        static_cast<int>(out.size()), out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                        &made->handle));
    return only(std::move(made));
}

/* Two halves with a communicator each, and the intercommunicator between them. */
New_communicators halves(const Communicator& parent) {
    if (parent.inter() || parent.groups[0].size() < 2) return {};
    Members order = parent.groups[0];
    here.plan.shuffle(order);
    const auto cut = order.begin() + here.plan.between(1, static_cast<int>(order.size()) - 1);
    New_communicators made;
    made.push_back(with_members(Members(order.begin(), cut)));
    made.push_back(with_members(Members(cut, order.end())));
    auto& inter = *made.emplace_back(std::make_unique<Communicator>());
    inter.groups = {made[0]->groups[0], made[1]->groups[0]};
    const std::array leader{here.plan.below(static_cast<int>(inter.groups[0].size())),
                            here.plan.below(static_cast<int>(inter.groups[1].size()))};
    const int tag = here.next_tag++;
    if (!parent.has(here.rank)) return made;
    const auto mine = static_cast<std::size_t>(inter.side(here.rank)), other = 1 - mine;
    const auto key = std::ranges::find(order, here.rank) - order.begin();
    must(MPI_Comm_split(parent.handle, static_cast<int>(mine), static_cast<int>(key), &made[mine]->handle));
    const int remote_leader = parent.rank_of(inter.groups[other][static_cast<std::size_t>(leader[other])]);
    must(MPI_Intercomm_create(made[mine]->handle, leader[mine], parent.handle, remote_leader, tag, &inter.handle));
    return made;
}

New_communicators merged(const Communicator& parent) {
    if (!parent.inter()) return {};
    const std::size_t low = here.plan.coin(), high = 1 - low;
    auto made = with_members(parent.groups[low]);
    made->groups[0].insert(made->groups[0].end(), parent.groups[high].begin(), parent.groups[high].end());
    if (parent.has(here.rank))
        must(MPI_Intercomm_merge(parent.handle, parent.side(here.rank) == static_cast<int>(high), &made->handle));
    return only(std::move(made));
}

} // namespace

New_communicators make_communicators(const Communicator& parent) {
    constexpr Maker makers[] = {dup,   split,  split,  from_group, cartesian, slices,
                                graph, halves, halves, merged,     merged};
    return here.plan.pick(std::vector<Maker>(std::begin(makers), std::end(makers)))(parent);
}
