// The Fortran procedures: each wrapper calls the MPI's own procedure of the same name, which keeps logicals, strings,
// sentinels and omitted arguments as they are. What that one calls in turn (MPI_Send under MPICH's mpi_send_) comes
// from the MPI's own code and is not recorded again.
#pragma once

#include "collector/entries.hpp"

#include <cstddef>

namespace tactus {

extern const Entry fortran_list[fortran_count + 1];
extern void* fortran_originals[fortran_count + 1];

template <class F> F original(Fortran procedure) {
    return reinterpret_cast<F>(fortran_originals[static_cast<std::size_t>(procedure)]);
}

// The first call of a procedure: finds the original, and the sentinels, since the MPI's Fortran libraries may have been
// opened only now. nullptr when no library has it. Any thread, any number of times.
void* find_fortran(std::size_t procedure);

} // namespace tactus
