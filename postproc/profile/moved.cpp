#include "postproc/profile/moved.hpp"

#include "postproc/profile/shapes.hpp"

namespace tactus {
namespace {

// What a collective sees of its communicator.
struct Sides {
    std::uint64_t others = 1;
    std::uint32_t me = 0;
    bool inter = false;

    explicit Sides(const Comm* comm) {
        if (comm == nullptr) return;
        me = comm->my_rank;
        inter = !comm->remote.empty();
        others = 0;
        if (!inter) {
            others = comm->size() > 0 ? comm->size() - 1 : 0;
            return;
        }
        for (const RankRun& run : comm->remote) others += static_cast<std::uint64_t>(run.count);
    }
    [[nodiscard]] bool is_root(std::int32_t root) const {
        return inter ? root == peer::root : root == static_cast<std::int32_t>(me);
    }
    // Without the part that a rank of an intracommunicator has for itself.
    [[nodiscard]] std::uint64_t elsewhere(const ByteVector& vector) const { return vector.sum() - own(vector); }
    [[nodiscard]] std::uint64_t own(const ByteVector& vector) const {
        return inter || me >= vector.ranks ? 0 : vector.at(me);
    }
};

Moved by_vectors(const Record& record, Words words, const Sides& sides) {
    const std::vector<ByteVector> vectors = byte_vectors_of(words);
    const bool root = sides.is_root(record.what.peer);
    const std::uint64_t block = record.what.bytes;
    switch (shape_of(record.what.function)) {
    case Shape::scatterv:
        if (!root) return {.received = block};
        return vectors.empty() ? Moved{} : Moved{.sent = sides.elsewhere(vectors[0])};
    case Shape::gatherv:
        if (!root) return {.sent = block};
        return vectors.empty() ? Moved{} : Moved{.received = sides.elsewhere(vectors[0])};
    case Shape::allgatherv:
        return {.sent = block, .received = vectors.empty() ? 0 : sides.elsewhere(vectors[0])};
    case Shape::reduce_scatter:
        if (vectors.empty()) return {};
        return {.sent = sides.elsewhere(vectors[0]), .received = sides.own(vectors[0])};
    default:
        if (vectors.size() < 2) return {};
        return {.sent = sides.elsewhere(vectors[0]), .received = sides.elsewhere(vectors[1])};
    }
}

Moved by_blocks(const Record& record, const Sides& sides) {
    const bool root = sides.is_root(record.what.peer);
    const std::uint64_t block = record.what.bytes;
    const std::uint64_t all = block * sides.others;
    switch (shape_of(record.what.function)) {
    case Shape::broadcast:
    case Shape::scatter:
        return root ? Moved{.sent = all} : Moved{.received = block};
    case Shape::gather:
        return root ? Moved{.received = all} : Moved{.sent = block};
    case Shape::reduce:
        return root ? Moved{.received = block} : Moved{.sent = block};
    case Shape::allreduce:
        return {.sent = record.what.function == Function::Reduce_scatter_block ? all : block, .received = block};
    case Shape::exchange:
        return {.sent = record.what.function == Function::Allgather ? block : all, .received = all};
    case Shape::scan:
        return {.sent = block, .received = block};
    default:
        return {};
    }
}

Moved by_collective(const Record& record, Words words, const Comm* comm) {
    const Sides sides{comm};
    // In an intercommunicator the ranks beside the root pass MPI_PROC_NULL.
    if (sides.others == 0 || record.what.peer == peer::proc_null) return {};
    switch (shape_of(record.what.function)) {
    case Shape::scatterv:
    case Shape::gatherv:
    case Shape::allgatherv:
    case Shape::alltoallv:
    case Shape::alltoallw:
    case Shape::reduce_scatter:
        return by_vectors(record, words, sides);
    default:
        return by_blocks(record, sides);
    }
}

} // namespace

bool sends_message(const Record& record) {
    return record.what.kind == Kind::call && is_send(shape_of(record.what.function)) && record.what.peer >= 0 &&
           !record.what.has(flag::failed);
}

Moved bytes_moved(const Record& record, Words words, const Comm* comm) {
    const Signature& what = record.what;
    if (what.kind != Kind::call || what.has(flag::failed) || what.has(flag::misses) || !is_known(what.function))
        return {};
    const Shape shape = shape_of(what.function);
    if (pattern_of(shape) != Pattern::none) return by_collective(record, words, comm);
    Moved moved;
    if (is_send(shape) && what.peer >= 0) moved.sent = what.bytes;
    if (shape == Shape::receive && what.peer >= 0) moved.received = what.bytes;
    if (shape == Shape::sendrecv)
        if (const auto half = received_half(words); half && half->source >= 0) moved.received = half->bytes;
    if (!completes_requests(shape)) return moved;
    for (const Completion& done : completions_of(record, words))
        if (done.received && done.source >= 0) moved.received += done.bytes;
    return moved;
}

} // namespace tactus
