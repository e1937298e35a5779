// Which messages carry a header. Both sides of a message must say the same: so the ranks agree in MPI_Init, and from
// then on only the communicator decides, never whether a call is recorded. Any thread.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/options/options.hpp"
#include "piggyback/lengths.hpp"
#include "piggyback/mpi/host.hpp"
#include "trace/definitions.hpp"
#include "trace/open_call.hpp"

#include <cstddef>

namespace tactus {

struct PiggybackPolicy {
    bool on = false;            // agreed by all ranks; from the end of MPI_Init's wrapper to the end of the process
    NothingCarried reason{};    // when it is not
    bool collectives = false;   // they bring delays, too
    bool names = false;         // a rank has threads that make calls at the same time: records name their messages
    Lengths lengths;            // agreed, too: which sizes have a header
    bool copies = true;         // messages up to copy_max are copied after it; else a datatype
    std::size_t copy_max = 0;   // bytes of data
    std::size_t spare_room = 0; // of the message_buffers that threads keep
};
extern constinit PiggybackPolicy piggyback_policy; // written in MPI_Init, then only read

// Bytes of data, as this rank would have it.
std::uint64_t most_headed_wanted(const Options& options);
// All ranks together, in MPI_Init. `has_mpi_session`: this process called MPI_Session_init. False when the deadline
// passed.
bool agree_on_piggyback_policy(const Options& options, bool has_mpi_session, std::int64_t deadline_ns);

// Whether the application's message on that communicator, to or from `peer`, has a header. hot
inline bool is_carried(const OpenCall& call, MPI_Comm comm, int peer) {
    return piggyback_policy.on && peer != MPI_PROC_NULL && call.is_applications() && is_closed(comm);
}

// Whether the MPI would send a message with it.
bool is_tag(int tag);

} // namespace tactus
