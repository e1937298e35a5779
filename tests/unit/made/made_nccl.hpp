// Records of NCCL for tests, as the plugin would leave them, and ranks that have such records.
#pragma once

#include "tests/unit/made/make_trace.hpp"

namespace tactus {

enum class MadeFunction : std::uint32_t { AllReduce = first_nccl_symbol, AllGather, AlltoAll, Send, proxy };

// Ticks are relative to the start. One tick is a nanosecond.
struct MadeNccl {
    MadeFunction function = MadeFunction::AllReduce;
    std::int64_t sequence = 0;
    Ticks start = 0;
    Ticks end = 0;
    std::uint64_t bytes = 1024;
    NcclKind kind = NcclKind::coll;
    NcclSpan span = NcclSpan::full;
    std::uint8_t flags = NcclTag::drawn;
    std::uint32_t comm = 1;
    std::int64_t handle = 1;
    std::int64_t parent = 0;
    std::int64_t pid = 0;
    std::int64_t within_ns = 10;
};
MadeRecord made_nccl(const MadeNccl& what);

// Ranks of one communicator with id 99, without MPI and records. If `measured`, they have the same clock, right within
// 5 ns.
std::vector<MadeRank> made_nccl_ranks(std::uint32_t count, bool measured = true);

} // namespace tactus
