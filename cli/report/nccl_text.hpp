// The part of a report about NCCL: its operations, how fast they were, which ranks were late, which waited, and how
// much of all that is known.
#pragma once

#include "postproc/nccl/clocks.hpp"
#include "postproc/nccl/summary.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tactus {

// Returns one line: the number of operations and their bytes, how much of their time is waiting, and for which rank.
std::string nccl_line(const NcclSummary& nccl);
void print_nccl(const NcclSummary& nccl);
nlohmann::ordered_json nccl_json(const NcclSummary& nccl);

// Returns the name of the function, such as "AllReduce", with "(group)" or "(copy engines)" after it for such classes.
std::string nccl_class_text(const NcclClass& nccl_class);

// Returns lines about clocks that only NCCL's operations could compare. Empty if there are no such clocks.
std::string nccl_clocks_text(const std::vector<NcclClock>& clocks);
// Tells how well the times of the GPUs are known.
std::string nccl_within_text(const NcclSummary& nccl);

} // namespace tactus
