// How fast an operation of NCCL moved its bytes, computed as in nccl-tests. The algorithm bandwidth counts what the
// application asked for. The bus bandwidth counts what the slowest link had to carry, so it compares across operations
// and numbers of ranks. Pure.
//
//   S: bytes of a rank as its record has them; n: ranks; t: time
//   AllReduce                         S / t     x 2 (n - 1) / n
//   Reduce, Broadcast, Send, Recv     S / t     x 1
//   ReduceScatter, AllGather,
//   AlltoAll, Gather, Scatter       n S / t     x (n - 1) / n
//
// A record of sends and receives that were launched together has the bytes of all of them: S / t. Only an AlltoAll of
// these has a bus bandwidth, x (n - 1) / n.
#pragma once

#include "trace/nccl.hpp"

#include <cstdint>
#include <string_view>

namespace tactus {

struct NcclFactors {
    double bytes = 1; // factor of S that gives what the algorithm moved
    double bus = 0;   // factor of the algorithm bandwidth; 0: there is no bus bandwidth
};
// `ranks` is the number of members of the communicator; 0: unknown, so there is no bus bandwidth. AllGatherV is
// like AllGather. Functions that are not in the table have no bus bandwidth.
NcclFactors nccl_factors(NcclKind kind, std::string_view function, std::uint32_t ranks);

} // namespace tactus
