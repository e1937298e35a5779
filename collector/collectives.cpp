#include "collector/collectives.hpp"

#include <algorithm>

namespace tactus {
namespace {

enum class Role { root, other, none };

// In an intercommunicator the root itself passes MPI_ROOT, its neighbours MPI_PROC_NULL, the other group the root's
// rank.
Role role_of(MPI_Comm comm, int root) {
    if (root == MPI_PROC_NULL) return Role::none;
    if (root == MPI_ROOT) return Role::root;
    int inter = 0;
    int rank = -1;
    pmpi.Comm_test_inter(comm, &inter);
    if (inter != 0) return Role::other;
    pmpi.Comm_rank(comm, &rank);
    return rank == root ? Role::root : Role::other;
}

// Those a vector of counts speaks of: the remote group in an intercommunicator.
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

std::uint64_t bytes_of(int count, MPI_Datatype type) {
    return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * datatypes.element(type).size;
}

// Vectors of bytes by rank, as ByteVector reads them, in the thread's scratch memory.
class Vectors {
  public:
    Vectors(std::size_t ranks, std::size_t vectors)
        : ranks_{ranks}, words_{static_cast<std::int64_t*>(scratch((ranks + 1) * vectors * sizeof(std::int64_t)))} {}
    // Gives the sum.
    template <class BytesOfRank> std::uint64_t add(BytesOfRank bytes_of_rank) {
        if (words_ == nullptr) return 0;
        std::int64_t* const head = words_ + used_;
        std::int64_t* const values = head + 1;
        std::uint64_t sum = 0;
        bool equal = true;
        for (std::size_t i = 0; i < ranks_; ++i) {
            const std::uint64_t bytes = bytes_of_rank(i);
            values[i] = static_cast<std::int64_t>(bytes);
            sum += bytes;
            equal = equal && values[i] == values[0];
        }
        *head = static_cast<std::int64_t>(2 * ranks_ + (equal && ranks_ > 0 ? 1 : 0));
        used_ += 1 + (equal ? std::min<std::size_t>(ranks_, 1) : ranks_);
        return sum;
    }
    [[nodiscard]] std::span<const std::int64_t> words() const { return {words_, used_}; }

  private:
    std::size_t ranks_;
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
    if (root != MPI_PROC_NULL) call.moves(block.count, block.type);
}

void gather(Call& call, Block sent, Block received, int root) {
    if (root == MPI_PROC_NULL) return;
    const Block& block = root == MPI_ROOT || sent.buffer == MPI_IN_PLACE ? received : sent;
    call.moves(block.count, block.type);
}

void scatter(Call& call, Block sent, Block received, int root) {
    if (root == MPI_PROC_NULL) return;
    const Block& block = root == MPI_ROOT || received.buffer == MPI_IN_PLACE ? sent : received;
    call.moves(block.count, block.type);
}

void exchange(Call& call, Block sent, Block received) {
    const Block& block = sent.buffer == MPI_IN_PLACE ? received : sent;
    call.moves(block.count, block.type);
}

void gatherv(Call& call, MPI_Comm comm, Block sent, Counts received, int root) {
    const Role role = role_of(comm, root);
    if (role == Role::none) return;
    if (role == Role::other || (root != MPI_ROOT && sent.buffer != MPI_IN_PLACE)) call.moves(sent.count, sent.type);
    if (role != Role::root) return;
    Vectors vectors{partners(comm), 1};
    vectors.add(bytes_by_rank(received));
    call.set_words(vectors.words());
}

void scatterv(Call& call, MPI_Comm comm, Counts sent, Block received, int root) {
    const Role role = role_of(comm, root);
    if (role == Role::none) return;
    if (role == Role::other || (root != MPI_ROOT && received.buffer != MPI_IN_PLACE))
        call.moves(received.count, received.type);
    if (role != Role::root) return;
    Vectors vectors{partners(comm), 1};
    vectors.add(bytes_by_rank(sent));
    call.set_words(vectors.words());
}

void allgatherv(Call& call, MPI_Comm comm, Block sent, Counts received) {
    Vectors vectors{partners(comm), 1};
    vectors.add(bytes_by_rank(received));
    if (sent.buffer != MPI_IN_PLACE) {
        call.moves(sent.count, sent.type);
    } else {
        int rank = 0;
        pmpi.Comm_rank(comm, &rank);
        call.moves(received.counts[rank], received.type);
    }
    call.set_words(vectors.words());
}

void alltoallv(Call& call, MPI_Comm comm, const void* sendbuf, Counts sent, Counts received) {
    Vectors vectors{partners(comm), 2};
    const bool in_place = sendbuf == MPI_IN_PLACE; // then the receive counts say what is sent, too
    call.set_bytes(vectors.add(bytes_by_rank(in_place ? received : sent)));
    vectors.add(bytes_by_rank(received));
    call.set_type(received.type);
    call.set_words(vectors.words());
}

void alltoallw(Call& call, MPI_Comm comm, const void* sendbuf, TypedCounts sent, TypedCounts received) {
    Vectors vectors{partners(comm), 2};
    const bool in_place = sendbuf == MPI_IN_PLACE;
    call.set_bytes(vectors.add(bytes_by_rank(in_place ? received : sent)));
    vectors.add(bytes_by_rank(received));
    call.set_words(vectors.words());
}

// What is reduced is as long as all results together.
void reduce_scatter(Call& call, MPI_Comm comm, Counts received) {
    int size = 0;
    pmpi.Comm_size(comm, &size); // of the local group, also in an intercommunicator
    Vectors vectors{static_cast<std::size_t>(size), 1};
    call.set_bytes(vectors.add(bytes_by_rank(received)));
    call.set_type(received.type);
    call.set_words(vectors.words());
}

} // namespace tactus
