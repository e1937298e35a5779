// How many ranks a collective has on the other side, seen from one rank. With this, moved.hpp computes the bytes that a
// rank moved from its record, and postproc/export/collective_block.hpp the record from the bytes. Pure.
#pragma once

#include "base/grammar.hpp"
#include "trace/definitions.hpp"
#include "trace/record.hpp"
#include "trace/shapes.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

struct CollectiveSides {
    std::uint64_t ranks = 2;  // length of a vector of bytes: ranks of the communicator, or of the remote group
    std::uint64_t others = 1; // the same without this rank
    std::uint32_t me = 0;
    bool inter = false;

    CollectiveSides() = default; // for an unknown communicator: a collective counts its block once
    explicit CollectiveSides(const Comm& comm) : ranks{0}, me{comm.my_rank}, inter{!comm.remote.empty()} {
        if (inter)
            for (const RankRun& run : comm.remote) ranks += static_cast<std::uint64_t>(run.count);
        else
            ranks = comm.size();
        others = inter || ranks == 0 ? ranks : ranks - 1;
    }
    // `root` is the peer in a record.
    [[nodiscard]] bool is_root(std::int32_t root) const {
        return inter ? root == peer::root : root == static_cast<std::int32_t>(me);
    }
};

// Whether the name of a function contains `part`, which is in lower case: MPI_Iallgather_c contains "allgather".
inline bool is_named(Function function, std::string_view part) {
    return lower(name_of(function)).find(part) != std::string::npos;
}

} // namespace tactus
