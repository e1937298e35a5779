// What the generated wrappers need.
#pragma once

#include "collector/call.hpp"
#include "collector/collectives.hpp"
#include "collector/completion.hpp"
#include "collector/fortran.hpp"
#include "collector/freed_requests.hpp"
#include "collector/session.hpp"
#include "collector/vt/run.hpp"
#include "piggyback/mpi/attached_buffer.hpp"
#include "piggyback/mpi/collective_delay.hpp"
#include "piggyback/mpi/eager_limits.hpp"
#include "piggyback/mpi/kept_requests.hpp"
#include "piggyback/mpi/message_in_call.hpp"

#include <array>
#include <vector>

namespace tactus {

// MPI_Init has succeeded; MPI_Session_init has.
void initialized(Call& call);
void has_session();
const Options* options_of_run(); // nullptr: this process is not recorded

// What was made for a message when it was probed for; nullptr: nothing is carried.
const MessageBuffer* matched_message(const Call& call, MPI_Message message);

using PartitionRange = std::array<std::int64_t, 2>;
std::vector<std::int64_t> partition_ranges(const int* partitions, int count);

} // namespace tactus
