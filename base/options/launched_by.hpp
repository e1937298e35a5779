// The rank and the number of ranks that the launcher put into the environment, under whichever name. Nothing when there
// is no such variable.
#pragma once

#include <cstdint>
#include <optional>

namespace tactus {

std::optional<std::uint32_t> rank_by_launcher(); // of an MPI, PMI, a batch system, or torchrun
std::optional<std::uint32_t> ranks_by_launcher();

} // namespace tactus
