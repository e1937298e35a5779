// What a rank said of a collective, from the bytes that it sent and received: the inverse of
// postproc/profile/moved.hpp. Where only sums are known, as of the v forms, every other rank has an equal share. Pure.
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
// `root` as records have it.
CollectiveBlock collective_block(Function function, const Comm& comm, std::int32_t root, std::uint64_t sent,
                                 std::uint64_t received);

} // namespace tactus
