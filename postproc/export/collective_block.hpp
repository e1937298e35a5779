// What a rank's record says of a collective, computed from the bytes that the rank sent and received: the inverse of
// postproc/profile/moved.hpp. Where only sums are known, as for the v forms, every other rank gets an equal share.
// Pure.
#pragma once

#include "trace/definitions.hpp"
#include "trace/record.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

struct CollectiveBlock {
    std::uint64_t bytes = 0;
    std::vector<std::int64_t> words;
};
// `root` is given as in records.
CollectiveBlock collective_block(Function function, const Comm& comm, std::int32_t root, std::uint64_t sent,
                                 std::uint64_t received);

} // namespace tactus
