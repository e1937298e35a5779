// Measures what the wrappers cost on this machine. The delays are computed from it, see piggyback/mpi/delays.hpp.
#pragma once

namespace tactus {

// Called in MPI_Init, after the ranks have agreed whether messages carry headers. The process sends messages to itself.
// The result is stored in `call_costs` and, if this rank has a file, in the file.
void measure_call_costs();

} // namespace tactus
