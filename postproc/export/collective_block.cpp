#include "postproc/export/collective_block.hpp"

#include "postproc/profile/collective_sides.hpp"

#include <algorithm>

namespace tactus {
namespace {

struct Sides : CollectiveSides {
    using CollectiveSides::CollectiveSides;

    // The size of one block, where `all` is the sum over all other ranks. Some tools also count the rank's own block:
    // such a sum can be divided by `others + 1`, but not by `others`.
    [[nodiscard]] std::uint64_t share(std::uint64_t all) const {
        if (others == 0) return 0;
        return all % others != 0 && all % (others + 1) == 0 ? all / (others + 1) : all / others;
    }
};

void append_vector(std::vector<std::int64_t>& words, const Sides& sides, std::uint64_t elsewhere, std::uint64_t own) {
    const std::uint64_t share = sides.others == 0 ? 0 : elsewhere / sides.others;
    std::uint64_t rest = sides.others == 0 ? 0 : elsewhere % sides.others;
    const bool equal = rest == 0 && (sides.inter || own == share);
    words.push_back(static_cast<std::int64_t>(2 * sides.ranks + (equal ? 1 : 0)));
    if (equal) {
        words.push_back(static_cast<std::int64_t>(share));
        return;
    }
    for (std::uint64_t i = 0; i < sides.ranks; ++i) {
        const bool mine = !sides.inter && i == sides.me;
        const std::uint64_t more = !mine && rest > 0 ? 1 : 0;
        rest -= more;
        words.push_back(static_cast<std::int64_t>(mine ? own : share + more));
    }
}

CollectiveBlock with_vectors(Shape shape, const Sides& sides, bool root, std::uint64_t sent, std::uint64_t received) {
    CollectiveBlock block;
    const auto add = [&](std::uint64_t elsewhere, std::uint64_t own) {
        append_vector(block.words, sides, elsewhere, own);
    };
    const auto share = [&](std::uint64_t all) { return sides.others == 0 ? 0 : all / sides.others; };
    switch (shape) {
    case Shape::scatterv:
        block.bytes = root ? sent + share(sent) : received;
        if (root) add(sent, share(sent));
        break;
    case Shape::gatherv:
        block.bytes = root ? share(received) : sent;
        if (root) add(received, share(received));
        break;
    case Shape::allgatherv:
        block.bytes = sent;
        add(received, share(received));
        break;
    case Shape::reduce_scatter:
        block.bytes = sent + received;
        add(sent, received);
        break;
    default:
        block.bytes = sent + share(sent);
        add(sent, share(sent));
        add(received, share(received));
    }
    return block;
}

} // namespace

CollectiveBlock collective_block(Function function, const Comm& comm, std::int32_t root, std::uint64_t sent,
                                 std::uint64_t received) {
    const Sides sides{comm};
    const bool is_root = sides.is_root(root);
    switch (shape_of(function)) {
    case Shape::broadcast:
    case Shape::scatter:
        return {is_root ? sides.share(sent) : received, {}};
    case Shape::gather:
        return {is_root ? sides.share(received) : sent, {}};
    case Shape::reduce:
        return {is_root ? received : sent, {}};
    case Shape::allreduce:
        return {is_named(function, "scatter_block") ? received : sent, {}};
    case Shape::exchange:
        return {is_named(function, "allgather") && sent > 0 ? sent : sides.share(received), {}};
    case Shape::scan:
        return {std::max(sent, received), {}};
    case Shape::scatterv:
    case Shape::gatherv:
    case Shape::allgatherv:
    case Shape::alltoallv:
    case Shape::alltoallw:
    case Shape::reduce_scatter:
        return with_vectors(shape_of(function), sides, is_root, sent, received);
    default:
        return {};
    }
}

} // namespace tactus
