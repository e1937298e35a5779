#include "postproc/nccl/bandwidth.hpp"

namespace tactus {

NcclFactors nccl_factors(NcclKind kind, std::string_view function, std::uint32_t ranks) {
    if (ranks == 0) return {};
    const double n = ranks;
    const double of_others = (n - 1) / n;
    const bool alone = ranks == 1;
    if (kind == NcclKind::group) return {.bus = function == "AlltoAll" && !alone ? of_others : 0};
    if (function == "AllReduce") return {.bus = alone ? 0 : 2 * of_others};
    if (function == "Reduce" || function == "Broadcast" || function == "Send" || function == "Recv")
        return {.bus = alone ? 0.0 : 1.0};
    if (function == "ReduceScatter" || function == "AllGather" || function == "AllGatherV" || function == "AlltoAll" ||
        function == "Gather" || function == "Scatter")
        return {.bytes = n, .bus = alone ? 0 : of_others};
    return {};
}

} // namespace tactus
