// What the wrappers cost here, for delays: see piggyback/mpi/delays.hpp.
#pragma once

namespace tactus {

// In MPI_Init, once it is agreed whether messages carry headers, with messages of the process to itself.
void measure_call_costs();

} // namespace tactus
