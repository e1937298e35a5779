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

// Whether a name begins with MPI_, PMPI_, mpi_ or pmpi_.
bool begins_as_mpi(const char* name);

// This library's function for such a name; nullptr when there is none. It is that of the profiling name, which leads to
// the wrapper as well, but to the MPI where another tool behind this library wraps the function: that tool may be the
// one that asks. Any thread may call this.
void* own_entry(const char* name);

} // namespace tactus

// In the order of entry_list, then of fortran_list.
extern "C" void* tactus_entries[];
