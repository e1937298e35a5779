#include "collector/collectives.hpp"

#include <algorithm>

namespace tactus {
namespace {

enum class RootRole { root, other, none };

// In an intercommunicator the root itself passes MPI_ROOT, the other ranks of its group pass MPI_PROC_NULL, and the
// other group passes the root's rank.
RootRole role_of(MPI_Comm comm, int root) {
    if (root == MPI_PROC_NULL) return RootRole::none;
    if (root == MPI_ROOT) return RootRole::root;
    int inter = 0;
    int rank = -1;
    pmpi.Comm_test_inter(comm, &inter);
    if (inter != 0) return RootRole::other;
    pmpi.Comm_rank(comm, &rank);
    return rank == root ? RootRole::root : RootRole::other;
}

// How many ranks a vector of counts covers: in an intercommunicator, those of the remote group.
std::size_t partners(MPI_Comm comm) {
    int size = 0;
    int inter = 0;
    pmpi.Comm_test_inter(comm, &inter);
    if (inter != 0)
        pmpi.Comm_remote_size(comm, &size);
    else
        pmpi.Comm_size(comm, &size);
    return static_cast<std::size_t>(std::max(size, 0));
}

std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
    return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * datatypes.element(type).size;
}

// Vectors of bytes by rank, in the form that ByteVector reads. They are in memory of the call.
class Vectors {
  public:
    Vectors(Call& call, std::size_t ranks, std::size_t vectors) : Vectors{call, vectors * (ranks + 1)} {}
    // Has room for so many values and heads in all.
    Vectors(Call& call, std::size_t values_and_heads)
        : words_{static_cast<std::int64_t*>(call.room((values_and_heads + 1) * sizeof(std::int64_t)))} {}
    // Adds a vector and returns its sum.
    template <class BytesOfRank> std::uint64_t add(std::size_t ranks, BytesOfRank bytes_of_rank) {
        if (words_ == nullptr) return 0;
        std::int64_t* const head = words_ + used_;
        std::int64_t* const values = head + 1;
        std::uint64_t sum = 0;
        bool equal = true;
        for (std::size_t i = 0; i < ranks; ++i) {
            const std::uint64_t bytes = bytes_of_rank(i);
            values[i] = static_cast<std::int64_t>(bytes);
            sum += bytes;
            equal = equal && values[i] == values[0];
        }
        *head = static_cast<std::int64_t>(2 * ranks + (equal && ranks > 0 ? 1 : 0));
        used_ += 1 + (equal ? std::min<std::size_t>(ranks, 1) : ranks);
        return sum;
    }
    [[nodiscard]] std::span<const std::int64_t> words() const { return {words_, used_}; }

  private:
    std::int64_t* words_;
    std::size_t used_ = 0;
};

template <class C> auto bytes_by_rank(const C& counts) {
    return [&counts](std::size_t i) {
        if constexpr (std::is_same_v<C, TypedCounts>)
            return counts.counts[i] == 0 ? 0 : bytes_of(counts.counts[i], counts.types[i]);
        else
            return bytes_of(counts.counts[i], counts.type);
    };
}

} // namespace

void broadcast(Call& call, Block block, int root) {
    if (root != MPI_PROC_NULL) note_moved(call, block.count, block.type);
}

void gather(Call& call, Block sent, Block received, int root) {
    if (root == MPI_PROC_NULL) return;
    const Block& block = root == MPI_ROOT || sent.buffer == MPI_IN_PLACE ? received : sent;
    note_moved(call, block.count, block.type);
}

void scatter(Call& call, Block sent, Block received, int root) {
    if (root == MPI_PROC_NULL) return;
    const Block& block = root == MPI_ROOT || received.buffer == MPI_IN_PLACE ? sent : received;
    note_moved(call, block.count, block.type);
}

void exchange(Call& call, Block sent, Block received) {
    const Block& block = sent.buffer == MPI_IN_PLACE ? received : sent;
    note_moved(call, block.count, block.type);
}

void gatherv(Call& call, MPI_Comm comm, Block sent, Counts received, int root) {
    const RootRole role = role_of(comm, root);
    if (role == RootRole::none) return;
    if (role == RootRole::other || (root != MPI_ROOT && sent.buffer != MPI_IN_PLACE))
        note_moved(call, sent.count, sent.type);
    if (role != RootRole::root) return;
    const std::size_t ranks = partners(comm);
    Vectors vectors{call, ranks, 1};
    vectors.add(ranks, bytes_by_rank(received));
    call.set_words(vectors.words());
}

void scatterv(Call& call, MPI_Comm comm, Counts sent, Block received, int root) {
    const RootRole role = role_of(comm, root);
    if (role == RootRole::none) return;
    if (role == RootRole::other || (root != MPI_ROOT && received.buffer != MPI_IN_PLACE))
        note_moved(call, received.count, received.type);
    if (role != RootRole::root) return;
    const std::size_t ranks = partners(comm);
    Vectors vectors{call, ranks, 1};
    vectors.add(ranks, bytes_by_rank(sent));
    call.set_words(vectors.words());
}

void allgatherv(Call& call, MPI_Comm comm, Block sent, Counts received) {
    const std::size_t ranks = partners(comm);
    Vectors vectors{call, ranks, 1};
    vectors.add(ranks, bytes_by_rank(received));
    if (sent.buffer != MPI_IN_PLACE) {
        note_moved(call, sent.count, sent.type);
    } else {
        int rank = 0;
        pmpi.Comm_rank(comm, &rank);
        note_moved(call, received.counts[rank], received.type);
    }
    call.set_words(vectors.words());
}

void alltoallv(Call& call, MPI_Comm comm, const void* sendbuf, Counts sent, Counts received) {
    const std::size_t ranks = partners(comm);
    Vectors vectors{call, ranks, 2};
    const bool in_place = sendbuf == MPI_IN_PLACE; // then the receive counts say what is sent, too
    call.record().what.bytes = vectors.add(ranks, bytes_by_rank(in_place ? received : sent));
    vectors.add(ranks, bytes_by_rank(received));
    call.record().what.type = datatypes.number(received.type);
    call.set_words(vectors.words());
}

void alltoallw(Call& call, MPI_Comm comm, const void* sendbuf, TypedCounts sent, TypedCounts received) {
    const std::size_t ranks = partners(comm);
    Vectors vectors{call, ranks, 2};
    const bool in_place = sendbuf == MPI_IN_PLACE;
    call.record().what.bytes = vectors.add(ranks, bytes_by_rank(in_place ? received : sent));
    vectors.add(ranks, bytes_by_rank(received));
    call.set_words(vectors.words());
}

// The data that each rank contributes is as long as all results together.
void reduce_scatter(Call& call, MPI_Comm comm, Counts received) {
    int size = 0;
    pmpi.Comm_size(comm, &size); // of the local group, also in an intercommunicator
    const auto ranks = static_cast<std::size_t>(std::max(size, 0));
    Vectors vectors{call, ranks, 1};
    call.record().what.bytes = vectors.add(ranks, bytes_by_rank(received));
    call.record().what.type = datatypes.number(received.type);
    call.set_words(vectors.words());
}

namespace {

struct Neighbors {
    std::size_t sources;
    std::size_t destinations;
};

Neighbors neighbors_of(MPI_Comm comm) {
    const Degrees degrees = comms.degrees(comm);
    return {static_cast<std::size_t>(std::max(degrees.in, 0)), static_cast<std::size_t>(std::max(degrees.out, 0))};
}

} // namespace

void neighbor_allgatherv(Call& call, MPI_Comm comm, Block sent, Counts received) {
    const Neighbors neighbors = neighbors_of(comm);
    Vectors vectors{call, neighbors.sources, 1};
    vectors.add(neighbors.sources, bytes_by_rank(received));
    note_moved(call, sent.count, sent.type);
    call.set_words(vectors.words());
}

void neighbor_alltoallv(Call& call, MPI_Comm comm, Counts sent, Counts received) {
    const Neighbors neighbors = neighbors_of(comm);
    Vectors vectors{call, neighbors.sources + neighbors.destinations + 2};
    call.record().what.bytes = vectors.add(neighbors.destinations, bytes_by_rank(sent));
    vectors.add(neighbors.sources, bytes_by_rank(received));
    call.record().what.type = datatypes.number(received.type);
    call.set_words(vectors.words());
}

void neighbor_alltoallw(Call& call, MPI_Comm comm, TypedCounts sent, TypedCounts received) {
    const Neighbors neighbors = neighbors_of(comm);
    Vectors vectors{call, neighbors.sources + neighbors.destinations + 2};
    call.record().what.bytes = vectors.add(neighbors.destinations, bytes_by_rank(sent));
    vectors.add(neighbors.sources, bytes_by_rank(received));
    call.set_words(vectors.words());
}

} // namespace tactus
