// The wrappers of Fortran procedures. Each calls the MPI's own procedure of the same name, which keeps logicals,
// strings, sentinels and omitted arguments as they are. This procedure converts handles and calls the C function that
// it stands for; the wrappers of both pass these calls on. Other calls that it may make come from the MPI's own code
// and are not recorded either.
#pragma once

#include "collector/entries.hpp"
#include "collector/thread.hpp"

#include <cstddef>

namespace tactus {

extern const Entry fortran_list[fortran_count + 1];
extern void* fortran_originals[fortran_count + 1]; // another tool's procedure, if one wraps it, or the MPI's
extern void* fortran_mpi[fortran_count + 1];       // the MPI's own procedure

template <class F, class... Arguments>
auto call_original(Fortran procedure, Function function, Arguments... arguments) {
    const ProcedureCalls calls{function};
    return reinterpret_cast<F>(fortran_originals[static_cast<std::size_t>(procedure)])(arguments...);
}

// Called at the first call of a procedure: finds the MPI's procedure, and the sentinels, because the MPI's Fortran
// libraries may have been opened only now. Returns false when no library has the procedure. Any thread may call it, any
// number of times.
bool find_fortran(std::size_t procedure);

} // namespace tactus
