// The traced program's own MPI, found at the first call: functions, handles, and what differs between MPIs.
// Filled once by set_up(), read by every wrapper; the collector names no MPI symbol that the linker would have to find.
#pragma once

#include <cstddef>
#include <mpi.h>

namespace tactus {

#include "handles.gen.hpp"
#include "pmpi.gen.hpp"

extern Pmpi pmpi;      // PMPI_* of the program's MPI
extern Handles handle; // handle.COMM_WORLD is MPI_COMM_WORLD

struct Entry {
    const char* name; // "MPI_Send"
    void* wrapper;
};
extern const Entry entry_list[entry_count];

} // namespace tactus

// Where the exported names jump to, in the order of entry_list: first the set-up, then wrappers or the MPI itself.
extern "C" void* tactus_entries[];
