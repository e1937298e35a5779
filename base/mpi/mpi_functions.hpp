// The MPI that the program itself brought: its functions and predefined handles, without a symbol that the linker would
// have to find. Whoever is loaded into the program fills both once, before anything here is used.
#pragma once

#include <cstddef>
#include <mpi.h>

namespace tactus {

#include "handles.gen.hpp"
#include "pmpi.gen.hpp"

extern Pmpi pmpi;      // PMPI_* of the program's MPI
extern Handles handle; // handle.COMM_WORLD is MPI_COMM_WORLD

// The class of an error; a code may say more than that.
int class_of(int code);

} // namespace tactus
