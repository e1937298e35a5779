// The exported names: each jumps through a table, whose slots first lead to the set-up, then to a wrapper or to the MPI
// itself.
#pragma once

#include "base/mpi/mpi_functions.hpp"

#include <cstddef>

namespace tactus {

#include "wrappers.gen.hpp"

struct Entry {
    const char* name; // "MPI_Send"
    void* wrapper;
};
extern const Entry entry_list[entry_count]; // in the order of Pmpi's members

} // namespace tactus

// In the order of entry_list, then of fortran_list.
extern "C" void* tactus_entries[];
