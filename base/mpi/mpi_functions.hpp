// The functions and predefined handles of the MPI that the program itself brought, without a symbol that the linker
// would have to find. The library that is loaded into the program fills both once, before anything here is used.
#pragma once

#include <cstddef>
#include <mpi.h>

namespace tactus {

#include "handles.gen.hpp"
#include "pmpi.gen.hpp"

extern Pmpi pmpi;      // PMPI_* of the program's MPI
extern Pmpi onward;    // what the program would call without this library: another tool's MPI_*, or those of the MPI
extern Handles handle; // handle.COMM_WORLD is MPI_COMM_WORLD

// Returns the MPI's own function behind MPI_Send or another name; nullptr when the library has none.
void* find_function(void* library, const char* name);

// Fills `handle`, after pmpi.Get_version was found. A handle that only later versions of the MPI have is 0 in an
// earlier one. Returns nullptr, or the name of an object that every version must have and that is not there.
const char* find_handles(void* library);

// Gives the error class of an error code, which may be more specific.
int class_of(int code);

} // namespace tactus
