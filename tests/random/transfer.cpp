/* Who sends what to whom. A block is named by the world ranks that it goes from and to; `all` stands for every rank. */
#include "transfer.hpp"

#include <algorithm>

namespace {

constexpr int all = -9;

std::vector<Members::value_type> in_world(const Communicator& comm, const Members& ranks) {
    Members members;
    for (int rank : ranks)
        members.push_back(rank == MPI_PROC_NULL ? MPI_PROC_NULL : comm.groups[0][static_cast<std::size_t>(rank)]);
    return members;
}

} // namespace

Transfer::Transfer(const Collective_plan& plan) : plan_(plan), comm_(*plan.comm) {
    if (plan.kind == Collective::barrier) return;
    if (is_rooted(plan.kind))
        rooted();
    else if (is_neighbor(plan.kind))
        neighbors();
    else
        everybody();
}

Shape Transfer::shape() const {
    switch (plan_.kind) {
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoallv:
        return Shape::counts;
    case Collective::alltoallw:
    case Collective::neighbor_alltoallw:
        return Shape::types;
    default:
        return Shape::same;
    }
}

bool Transfer::to_each() const {
    switch (plan_.kind) {
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw:
        return true;
    default:
        return false;
    }
}

/* The count is the same in both directions if data is exchanged in place. */
int Transfer::units(int from, int to) const {
    if (shape() == Shape::same) return plan_.units;
    if (!to_each()) to = all;
    if (plan_.in_place && from > to && to != all) std::swap(from, to);
    return plan_.granule * static_cast<int>(mix(plan_.key, from, to) % 5);
}

std::uint64_t Transfer::key(int from, int to) const { return mix(plan_.key, from, to_each() ? to : all, 1); }

std::vector<int> Transfer::units_to(const Members& peers) const {
    if (!to_each()) return {units(here.rank, all)};
    std::vector<int> list;
    for (int peer : peers) list.push_back(units(here.rank, peer));
    return list;
}

std::vector<int> Transfer::units_from(const Members& peers) const {
    std::vector<int> list;
    for (int peer : peers) list.push_back(units(peer, here.rank));
    return list;
}

void Transfer::make_send(const Members& peers) {
    const bool single = !to_each();
    send_ = Blocks(single ? Shape::same : shape(), plan_.signature, plan_.granule, units_to(peers));
    for (std::size_t i = 0; i < (single ? 1 : peers.size()); i++) send_.put(i, key(here.rank, single ? all : peers[i]));
    send_.expect_unchanged();
    sends_ = true;
}

void Transfer::make_receive(const Members& peers, bool keep_own) {
    const bool single = peers.size() == 1 && is_rooted(plan_.kind);
    receive_ = Blocks(single ? Shape::same : shape(), plan_.signature, plan_.granule, units_from(peers));
    for (std::size_t i = 0; keep_own && i < peers.size(); i++)
        if (peers[i] == here.rank) receive_.put(i, key(here.rank, here.rank));
    receive_.expect_unchanged();
    for (std::size_t i = 0; i < peers.size(); i++)
        if (peers[i] != MPI_PROC_NULL) receive_.expect(i, key(peers[i], here.rank));
    receives_ = true;
}

void Transfer::rooted() {
    const bool root = here.rank == plan_.root;
    const bool from_root = plan_.kind != Collective::gather && plan_.kind != Collective::gatherv;
    if (comm_.inter() && comm_.side(here.rank) == comm_.side(plan_.root) && !root) return;
    if (plan_.kind == Collective::bcast) {
        root ? make_send({all}) : make_receive({plan_.root}, false);
        return;
    }
    const bool in_place = root && !comm_.inter() && here.choice.one_in(3);
    const bool with_all = root, with_root = !root || (!comm_.inter() && !in_place);
    if (from_root) {
        if (with_all) make_send(comm_.remote());
        if (with_root) make_receive({plan_.root}, false);
        in_place_in_ = in_place;
    } else {
        if (with_root) make_send({plan_.root});
        if (with_all) make_receive(comm_.remote(), in_place);
        in_place_out_ = in_place;
    }
}

/* Data that is exchanged in place is in the receive buffer at the beginning. */
void Transfer::use_in_place(const Members& peers) {
    make_receive(peers, !to_each());
    in_place_out_ = true;
    if (!to_each()) return;
    for (std::size_t i = 0; i < peers.size(); i++) receive_.put(i, key(here.rank, peers[i]));
}

void Transfer::everybody() {
    if (plan_.in_place && !comm_.inter()) return use_in_place(comm_.remote());
    make_send(comm_.remote());
    make_receive(comm_.remote(), false);
}

void Transfer::neighbors() {
    const auto rank = static_cast<std::size_t>(comm_.rank_of(here.rank));
    make_send(in_world(comm_, comm_.destinations[rank]));
    make_receive(in_world(comm_, comm_.sources[rank]), false);
}

void Transfer::check() {
    if (sends_) {
        send_.check();
        send_.free_types();
    }
    if (receives_) {
        receive_.check();
        receive_.free_types();
    }
    fold(plan_.key, here.rank);
}

int Transfer::root_argument() const {
    if (!comm_.inter()) return comm_.rank_of(plan_.root);
    if (here.rank == plan_.root) return MPI_ROOT;
    return comm_.side(here.rank) == comm_.side(plan_.root) ? MPI_PROC_NULL : comm_.rank_of(plan_.root);
}
