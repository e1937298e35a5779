// How fast an operation of NCCL moved its bytes, as nccl-tests reckons it: the algorithm's bandwidth by what the
// application asked for, the bus bandwidth by what the slowest link had to carry, which compares across operations and
// numbers of ranks. Pure.
//
//   S: bytes of a rank as its record has them; n: ranks; t: time
//   AllReduce                         S / t     x 2 (n - 1) / n
//   Reduce, Broadcast, Send, Recv     S / t     x 1
//   ReduceScatter, AllGather,
//   AlltoAll, Gather, Scatter       n S / t     x (n - 1) / n
//
// The bytes of sends and receives that were launched together are those of all of them: S / t, of which only that of an
// AlltoAll is compared, x (n - 1) / n.
#pragma once

#include "trace/nccl.hpp"

#include <cstdint>
#include <string_view>

namespace tactus {

struct NcclFactors {
    double bytes = 1; // times S: what the algorithm moved
    double bus = 0;   // times the algorithm's bandwidth; 0: it has none
};
NcclFactors nccl_factors(NcclKind kind, std::string_view function, std::uint32_t ranks);

} // namespace tactus
