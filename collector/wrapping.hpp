// What the generated wrappers need.
#pragma once

#include "collector/call.hpp"
#include "collector/collectives.hpp"
#include "collector/completion.hpp"
#include "collector/fortran.hpp"
#include "collector/piggyback/attached_buffer.hpp"
#include "collector/piggyback/cargo.hpp"
#include "collector/piggyback/eager_limits.hpp"
#include "collector/piggyback/freed_requests.hpp"
#include "collector/piggyback/gathered.hpp"
#include "collector/session.hpp"
#include "collector/vt/run.hpp"

#include <array>
#include <vector>

namespace tactus {

// MPI_Init has succeeded; MPI_Session_init has.
void initialized(Call& call);
void has_session();

using PartitionRange = std::array<std::int64_t, 2>;
std::vector<std::int64_t> partition_ranges(const int* partitions, int count);

} // namespace tactus
