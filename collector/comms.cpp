#include "collector/comms.hpp"

#include "base/locked.hpp"
#include "piggyback/mpi/host.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tactus {
namespace {

constexpr std::size_t most_comms_kept = 4096;

bool connects(Function function) {
    return function == Function::Comm_accept || function == Function::Comm_connect || function == Function::Comm_join;
}

} // namespace

void Comms::start(MPI_Comm world) {
    kept_ = new std::vector<Comm>;
    pmpi.Comm_group(world, &world_group_);
    if (world == handle.COMM_WORLD)
        define_world();
    else
        define(Function::Comm_create_from_group, handle.COMM_NULL, world, 0);
    started_.store(true, std::memory_order_release); // other threads of a program with sessions may look already
}

std::vector<Comm> Comms::define_world() {
    std::vector<Comm> both = {define(Function::Init, handle.COMM_NULL, handle.COMM_WORLD, 0),
                              define(Function::Init, handle.COMM_NULL, handle.COMM_SELF, 0)};
    name(both[0].number, both[0].name = "MPI_COMM_WORLD");
    name(both[1].number, both[1].name = "MPI_COMM_SELF");
    return both;
}

void Comms::stop() { pmpi.Group_free(&world_group_); }

std::vector<std::int32_t> Comms::world_ranks(MPI_Group group) const {
    int size = 0;
    pmpi.Group_size(group, &size);
    std::vector<std::int32_t> here(static_cast<std::size_t>(size));
    std::vector<std::int32_t> world(here.size());
    for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<std::int32_t>(i);
    pmpi.Group_translate_ranks(group, size, here.data(), world_group_, world.data());
    for (std::int32_t& rank : world)
        if (rank < 0) rank = -1; // MPI_UNDEFINED: a process outside MPI_COMM_WORLD
    return world;
}

std::int32_t Comms::world_rank(MPI_Comm comm, int rank) const {
    int inter = 0;
    MPI_Group group;
    pmpi.Comm_test_inter(comm, &inter);
    inter != 0 ? pmpi.Comm_remote_group(comm, &group) : pmpi.Comm_group(comm, &group);
    int size = 0;
    std::int32_t world = -1;
    pmpi.Group_size(group, &size);
    if (rank >= 0 && rank < size) pmpi.Group_translate_ranks(group, 1, &rank, world_group_, &world);
    pmpi.Group_free(&group);
    return std::max(world, -1); // MPI_UNDEFINED
}

namespace {

void cart_neighbors(MPI_Comm comm, std::vector<int>& list) {
    int dimensions = 0;
    pmpi.Cartdim_get(comm, &dimensions);
    const auto n = static_cast<std::size_t>(std::max(dimensions, 0));
    std::vector<int> extents(n);
    std::vector<int> periodic(n);
    std::vector<int> place(n);
    pmpi.Cart_get(comm, dimensions, extents.data(), periodic.data(), place.data());
    // Open MPI divides by 0 where the extents are not those of the communicator's processes (4.1.4, after
    // MPI_Cart_sub).
    int size = 0;
    pmpi.Comm_size(comm, &size);
    const std::int64_t processes =
        std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>{});
    const bool sound = processes == size;
    for (int d = 0; d < dimensions; ++d) { // MPI 4.0, 8.6: for each dimension first the negative direction
        int before = MPI_PROC_NULL;
        int after = MPI_PROC_NULL;
        if (sound) pmpi.Cart_shift(comm, d, 1, &before, &after);
        list.insert(list.end(), {before, after});
    }
}

void graph_neighbors(MPI_Comm comm, std::vector<int>& list) {
    int rank = 0;
    int count = 0;
    pmpi.Comm_rank(comm, &rank);
    pmpi.Graph_neighbors_count(comm, rank, &count);
    list.resize(static_cast<std::size_t>(count));
    pmpi.Graph_neighbors(comm, rank, count, list.data());
}

Degrees dist_graph_degrees(MPI_Comm comm) {
    Degrees degrees{};
    int weighted = 0;
    pmpi.Dist_graph_neighbors_count(comm, &degrees.in, &degrees.out, &weighted);
    return degrees;
}

void dist_graph_neighbors(MPI_Comm comm, std::vector<int>& sources, std::vector<int>& destinations) {
    const Degrees degrees = dist_graph_degrees(comm);
    sources.resize(static_cast<std::size_t>(degrees.in));
    destinations.resize(static_cast<std::size_t>(degrees.out));
    std::vector<int> weights(std::max(sources.size(), destinations.size()) + 1);
    std::vector<int> other(weights.size());
    pmpi.Dist_graph_neighbors(comm, degrees.in, sources.data(), weights.data(), degrees.out, destinations.data(),
                              other.data());
}

int tested_topology(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    pmpi.Topo_test(comm, &topology);
    return topology;
}

// The MPI is not asked where the function says it (MPI 4.0, 8.5): Open MPI 5.0.7 takes a graph that was made from a
// grid for a grid, and crashes when it is asked for its dimensions; what MPI_Comm_create_group makes from a grid is one
// to Open MPI 4 and 5.
int topology_made_by(Function function, MPI_Comm comm) {
    switch (function) {
    case Function::Cart_create:
    case Function::Cart_sub:
        return MPI_CART;
    case Function::Graph_create:
        return MPI_GRAPH;
    case Function::Dist_graph_create:
    case Function::Dist_graph_create_adjacent:
        return MPI_DIST_GRAPH;
    case Function::Comm_dup:
    case Function::Comm_dup_with_info:
    case Function::Comm_idup:
    case Function::Comm_idup_with_info:
        return tested_topology(comm);
    default:
        return MPI_UNDEFINED;
    }
}

void describe_topology(int topology, MPI_Comm comm, Comm& out) {
    std::vector<int> sources;
    std::vector<int> destinations;
    if (topology == MPI_UNDEFINED) return;
    if (topology == MPI_DIST_GRAPH) {
        dist_graph_neighbors(comm, sources, destinations);
    } else {
        topology == MPI_CART ? cart_neighbors(comm, sources) : graph_neighbors(comm, sources);
        destinations = sources;
    }
    for (std::vector<int>* list : {&sources, &destinations})
        for (int& rank : *list)
            if (rank < 0) rank = -1; // MPI_PROC_NULL at the edge of a grid
    out.sources = runs_of(sources);
    out.destinations = runs_of(destinations);
}

} // namespace

Degrees Comms::degrees(MPI_Comm comm) const {
    int topology = MPI_UNDEFINED;
    if (const std::uint64_t known = topologies_.find(key_of(comm)); known != 0)
        topology = static_cast<int>(known - 1);
    else if (number(comm) == 0)
        topology = tested_topology(comm);
    if (topology == MPI_DIST_GRAPH) return dist_graph_degrees(comm);
    std::vector<int> list;
    if (topology == MPI_CART) cart_neighbors(comm, list);
    if (topology == MPI_GRAPH) graph_neighbors(comm, list);
    return {static_cast<int>(list.size()), static_cast<int>(list.size())};
}

MPI_Comm comm_at(NewComm place) {
    return place.fortran ? comm_of(*static_cast<const MPI_Fint*>(place.place))
                         : *static_cast<const MPI_Comm*>(place.place);
}

void Comms::describe(MPI_Comm comm, Comm& out) {
    int rank = 0;
    int inter = 0;
    MPI_Group group{};
    pmpi.Comm_rank(comm, &rank);
    pmpi.Comm_test_inter(comm, &inter);
    pmpi.Comm_group(comm, &group);
    out.my_rank = static_cast<std::uint32_t>(rank);
    out.members = runs_of(world_ranks(group));
    pmpi.Group_free(&group);
    if (inter == 0) return;
    pmpi.Comm_remote_group(comm, &group);
    out.remote = runs_of(world_ranks(group));
    pmpi.Group_free(&group);
}

// No two ranks have the same members in MPI_COMM_SELF or in communicators made from it, so their identities differ as
// they must.
std::uint64_t Comms::identity_of(const Comm& comm, std::uint64_t parent, int tag) {
    // The two sides of a connection call different functions.
    const Function made_by = connects(comm.made_by) ? Function::Comm_accept : comm.made_by;
    std::vector<std::int64_t> hashed = {static_cast<std::int64_t>(made_by), static_cast<std::int64_t>(parent), tag};
    // Both sides of an intercommunicator have to put the groups in the same order.
    const bool swapped = !comm.remote.empty() && comm.remote.front().first < comm.members.front().first;
    append_runs(hashed, swapped ? comm.remote : comm.members);
    append_runs(hashed, swapped ? comm.members : comm.remote);
    const std::uint64_t key = XXH3_64bits(hashed.data(), hashed.size() * sizeof hashed[0]) | 1;
    const std::uint64_t repetition = repetitions_.find(key) + 1;
    repetitions_.put(key, repetition);
    return XXH3_64bits_withSeed(&repetition, sizeof repetition, key);
}

namespace {
bool is_within(const std::vector<RankRun>& members) {
    return std::all_of(members.begin(), members.end(), [](const RankRun& run) { return run.first >= 0; });
}
std::uint64_t known_value(const Comm& facts) {
    return KnownComms::value(facts.number, is_within(facts.members) && is_within(facts.remote), facts.my_rank);
}
} // namespace

void Comms::admit(Comm& made, MPI_Comm comm, int topology) {
    made.number = next_++;
    known_comms.put(comm, known_value(made));
    identities_.put(key_of(comm), made.identity);
    // The MPI may give the handle of a communicator that was freed.
    if (topology != MPI_UNDEFINED || topologies_.find(key_of(comm)) != 0)
        topologies_.put(key_of(comm), topology != MPI_UNDEFINED ? static_cast<std::uint64_t>(topology) + 1 : 0);
    if (kept_->size() < most_comms_kept) kept_->push_back(made);
}

Comm Comms::define(Function made_by, MPI_Comm parent, MPI_Comm comm, int tag) {
    Comm made;
    made.made_by = made_by;
    describe(comm, made);
    const int topology = topology_made_by(made_by, comm);
    describe_topology(topology, comm, made);
    const Locked hold{lock_};
    made.parent = number(parent);
    const bool has_parent_identity =
        made_by != Function::Intercomm_create && made_by != Function::Init && !connects(made_by);
    made.identity = identity_of(made, has_parent_identity ? identities_.find(key_of(parent)) : 0, tag);
    admit(made, comm, topology);
    return made;
}

std::uint64_t Comms::reserve_duplicate(MPI_Comm parent) {
    Comm like;
    like.made_by = Function::Comm_idup;
    describe(parent, like);
    const Locked hold{lock_};
    return identity_of(like, identities_.find(key_of(parent)), 0);
}

Comm Comms::define_duplicate(std::uint32_t parent, MPI_Comm comm, std::uint64_t identity) {
    Comm made;
    made.made_by = Function::Comm_idup;
    made.parent = parent;
    made.identity = identity;
    describe(comm, made);
    const int topology = topology_made_by(made.made_by, comm);
    describe_topology(topology, comm, made);
    const Locked hold{lock_};
    admit(made, comm, topology);
    return made;
}

std::uint64_t Comms::retire(MPI_Comm comm) {
    const Locked hold{lock_};
    const std::uint64_t known = known_comms.find(comm);
    if (known != 0) known_comms.put(comm, known >> 32U << 32U); // without a number; a callback may still use it
    return known;
}

void Comms::forget(MPI_Comm comm) {
    const Locked hold{lock_};
    const std::uint64_t known = known_comms.find(comm);
    if (known != 0 && static_cast<std::uint32_t>(known) == 0) known_comms.put(comm, 0);
}

void Comms::restore(MPI_Comm comm, std::uint64_t retired) {
    if (retired == 0) return;
    const Locked hold{lock_};
    known_comms.put(comm, retired);
}

// For communicators that the MPI's own functions made, or a call that could not be recorded.
std::uint64_t Comms::look_into(MPI_Comm comm) {
    int inter = 0;
    if (!started() || comm == handle.COMM_NULL || pmpi.Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
    Comm facts;
    describe(comm, facts);
    const Locked hold{lock_};
    const std::uint64_t known = known_value(facts);
    if (known_comms.find(comm) == 0) known_comms.put(comm, known);
    return known;
}

void Comms::name(std::uint32_t number, std::string_view text) {
    const Locked hold{lock_};
    if (number != 0 && number <= kept_->size()) (*kept_)[number - 1].name = text;
}

std::vector<Comm> Comms::definitions() {
    const Locked hold{lock_};
    return kept_ == nullptr ? std::vector<Comm>{} : *kept_;
}

// --- The functions that piggyback/mpi/host.hpp asks for

std::int32_t world_rank(MPI_Comm comm, int rank) { return comms.world_rank(comm, rank); }

std::uint64_t look_into(MPI_Comm comm) { return comms.look_into(comm); }

} // namespace tactus
