#include "postproc/profile/moved.hpp"

#include "postproc/profile/collective_sides.hpp"

namespace tactus {
namespace {

// Counts ranks, without MPI_PROC_NULL at the edge of a grid.
std::uint64_t ranks_in(const std::vector<RankRun>& runs) {
    std::uint64_t count = 0;
    for (const RankRun& run : runs) count += run.first >= 0 ? static_cast<std::uint64_t>(run.count) : 0;
    return count;
}

struct Sides : CollectiveSides {
    std::uint64_t sources = 1; // neighbors, as in `destinations`
    std::uint64_t destinations = 1;

    explicit Sides(const Comm* comm) : CollectiveSides{comm != nullptr ? CollectiveSides{*comm} : CollectiveSides{}} {
        if (comm == nullptr) return;
        sources = ranks_in(comm->sources);
        destinations = ranks_in(comm->destinations);
    }
    // The bytes of a vector without the rank's part for itself, which exists only in an intracommunicator.
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
    case Shape::neighbor_allgatherv:
        return {.sent = block * sides.destinations, .received = vectors.empty() ? 0 : vectors[0].sum()};
    case Shape::neighbor_alltoallv:
    case Shape::neighbor_alltoallw:
        if (vectors.size() < 2) return {};
        return {.sent = vectors[0].sum(), .received = vectors[1].sum()};
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
        return {.sent = is_named(record.what.function, "scatter_block") ? all : block, .received = block};
    case Shape::exchange:
        return {.sent = is_named(record.what.function, "allgather") ? block : all, .received = all};
    case Shape::scan:
        return {.sent = block, .received = block};
    case Shape::neighbor_exchange:
        return {.sent = block * sides.destinations, .received = block * sides.sources};
    default:
        return {};
    }
}

Moved by_collective(const Record& record, Words words, const Comm* comm) {
    const Sides sides{comm};
    // In an intercommunicator the other ranks of the root's group pass MPI_PROC_NULL.
    const bool alone = sides.others == 0 && pattern_of(shape_of(record.what.function)) != Pattern::neighbors;
    if (alone || record.what.peer == peer::proc_null) return {};
    switch (shape_of(record.what.function)) {
    case Shape::scatterv:
    case Shape::gatherv:
    case Shape::allgatherv:
    case Shape::alltoallv:
    case Shape::alltoallw:
    case Shape::reduce_scatter:
    case Shape::neighbor_allgatherv:
    case Shape::neighbor_alltoallv:
    case Shape::neighbor_alltoallw:
        return by_vectors(record, words, sides);
    default:
        return by_blocks(record, sides);
    }
}

Moved by_starts(const Record& record, Words words, const CommOf& comm_of) {
    Moved moved;
    for (const Started& started : starts_of(record, words)) {
        if (started.peer == peer::proc_null) continue;
        const Shape shape = shape_of(started.function);
        if (is_send(shape)) moved.sent += started.bytes;
        if (pattern_of(shape) == Pattern::none) continue;
        Record as_if;
        as_if.what = {.bytes = started.bytes, .comm = started.comm, .peer = started.peer, .function = started.function};
        const Moved part = by_collective(as_if, {}, comm_of(started.comm));
        moved.sent += part.sent;
        moved.received += part.received;
    }
    return moved;
}

Moved by_window_or_file(const Signature& what) {
    switch (shape_of(what.function)) {
    case Shape::put:
    case Shape::file_write:
        return {.sent = what.bytes};
    case Shape::get:
    case Shape::file_read:
        return {.received = what.bytes};
    case Shape::update:
        return {.sent = what.bytes, .received = what.bytes};
    default:
        return {};
    }
}

} // namespace

Moved bytes_moved(const Record& record, Words words, const CommOf& comm_of) {
    const Signature& what = record.what;
    if (what.kind != Kind::call || what.has(flag::failed) || what.has(flag::repeated) || !is_known(what.function) ||
        mode_of(what.function) == Mode::persistent)
        return {};
    const Shape shape = shape_of(what.function);
    if (pattern_of(shape) != Pattern::none) return by_collective(record, words, comm_of(what.comm));
    if (starts_persistent(shape)) return by_starts(record, words, comm_of);
    Moved moved = by_window_or_file(what);
    if (is_send(shape) && what.peer >= 0) moved.sent = what.bytes;
    const bool receives = shape == Shape::receive || shape == Shape::matched_receive;
    if (receives && mode_of(what.function) == Mode::blocking && what.peer >= 0) moved.received = what.bytes;
    if (shape == Shape::sendrecv)
        if (const auto half = received_half(words); half && half->source >= 0) moved.received = half->bytes;
    if (!completes_requests(shape)) return moved;
    for (const Completion& done : completions_of(record, words))
        if (done.received && done.source >= 0) moved.received += done.bytes;
    return moved;
}

} // namespace tactus
