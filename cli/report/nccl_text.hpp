// What a report says of NCCL: its operations, how fast they were, who was late, who waited, and how much of all that is
// known.
#pragma once

#include "postproc/nccl/clocks.hpp"
#include "postproc/nccl/summary.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tactus {

// How many operations, of how many bytes; and how much of their time is waiting, for whom.
std::string nccl_line(const NcclSummary& nccl);
void print_nccl(const NcclSummary& nccl);
nlohmann::ordered_json nccl_json(const NcclSummary& nccl);

// "AllReduce", or "AlltoAll (sends and receives)" and the like where it is no collective of NCCL's own.
std::string nccl_class_text(const NcclClass& one);

// How well clocks are known that there was nothing but NCCL for; empty: there was something else.
std::string nccl_clocks_text(const std::vector<NcclClock>& clocks);
// How well the times of the GPUs are known.
std::string nccl_within_text(const NcclSummary& nccl);

} // namespace tactus
