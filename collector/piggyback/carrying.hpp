// Which messages carry a header. Both sides of a message must say the same: so the ranks agree in MPI_Init, and from
// then on only the communicator decides, never whether a call is recorded. Any thread.
#pragma once

#include "collector/call.hpp"
#include "collector/mpi_functions.hpp"
#include "collector/options/options.hpp"

#include <cstddef>

namespace tactus {

struct Carrying {
    bool on = false;            // agreed by all ranks; from the end of MPI_Init's wrapper to the end of the process
    bool collectives = false;   // they bring delays, too
    bool names = false;         // a rank has threads that make calls at the same time: records name their messages
    bool copies = true;         // messages up to copy_max are copied behind their header; else a datatype
    std::size_t copy_max = 0;   // bytes of data
    std::size_t spare_room = 0; // of the parcels that threads keep
};
extern constinit Carrying carrying; // written in MPI_Init, then only read

// All ranks together, in MPI_Init. False when the deadline passed.
bool agree_on_carrying(const Options& options, std::int64_t deadline_ns);

// Whether the application's message on that communicator, to or from `peer`, has a header. hot
inline bool is_carried(const Call& call, MPI_Comm comm, int peer) {
    return carrying.on && peer != MPI_PROC_NULL && call.is_applications() && comms.is_closed(comm);
}

// A message's data as the application gives it.
struct Data {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype type;
};
enum class Way : unsigned char { out = 1, in = 2, both = 3 };

// Whether the MPI would take these arguments. What it would not take must reach it as it came, for inside a datatype of
// ours a mistake would be hidden, or told to the wrong error handler.
bool is_sound(const Data& data, Way way);
// Before the MPI frees the type: its handle may come again for another one.
void forget_type(MPI_Datatype type);

// Header and data as one element, committed; of the address of the header. A null type when the MPI has no memory.
MPI_Datatype type_behind(const void* header, const Data& data);

} // namespace tactus
