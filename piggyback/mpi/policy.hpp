// Which messages carry a header. Both sides of a message must come to the same decision. So the ranks agree in
// MPI_Init, and from then on only the communicator decides, never whether a call is recorded. Any thread may call the
// functions.
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
    NothingCarried reason{};    // why it is not on
    bool collectives = false;   // collectives bring delays, too
    bool names = false;         // some rank has threads that make calls at the same time, so records name messages
    Lengths lengths;            // which sizes have a header; agreed by all ranks, too
    std::uint64_t key = 0;      // of the check values in headers; a random number, the same on all ranks
    bool copies = true;         // data up to copy_max is copied after the header; otherwise a datatype covers both
    std::size_t copy_max = 0;   // bytes of data
    std::size_t spare_room = 0; // bytes after the header in each spare buffer that a thread keeps

    // The send_id in the header of a receive until a message has arrived. No program's data can be expected to equal
    // it.
    [[nodiscard]] std::uint64_t no_message_yet() const { return ~key; }
};
extern constinit PiggybackPolicy piggyback_policy; // written in MPI_Init, then only read

// The largest size with a header, in bytes of data, that the options of this rank ask for.
std::uint64_t most_headed_wanted(const Options& options);
// Sets piggyback_policy. All ranks call it together in MPI_Init. `has_mpi_session`: this process called
// MPI_Session_init. Returns false when the deadline passed.
bool agree_on_piggyback_policy(const Options& options, bool has_mpi_session, std::int64_t deadline_ns);

// Whether the application's message to or from `peer` on `comm` may have a header; its size decides the rest. hot
inline bool is_carried(const OpenCall& call, MPI_Comm comm, int peer) {
    return piggyback_policy.on && peer != MPI_PROC_NULL && call.is_applications() && is_closed(comm);
}

// Whether the MPI would accept `tag` for a send.
bool is_tag(int tag);

} // namespace tactus
