// Includes and declares what the generated wrappers need.
#pragma once

#include "collector/call_facts.hpp"
#include "collector/call_handles.hpp"
#include "collector/call_requests.hpp"
#include "collector/collectives.hpp"
#include "collector/completion.hpp"
#include "collector/fortran.hpp"
#include "collector/repeated_call.hpp"
#include "collector/session.hpp"
#include "collector/vt/run.hpp"
#include "piggyback/mpi/attached_buffer.hpp"
#include "piggyback/mpi/collective_delay.hpp"
#include "piggyback/mpi/eager_limits.hpp"
#include "piggyback/mpi/kept_requests.hpp"
#include "piggyback/mpi/message_in_call.hpp"

namespace tactus {

// Called after MPI_Comm_create_from_group has succeeded.
void made_from_group(Call& call, MPI_Comm comm);
// Called after MPI_Init, and after MPI_Session_init, have succeeded.
void initialized(Call& call);
void mpi_session_begins();
// Called before MPI_Session_finalize.
void mpi_session_ends();
// Called after MPI_Pcontrol (MPI 4.0, 15.2.4): level 0 stops the recording of this thread, and 1 resumes it.
void profiling_level(int level);
const Options* options_of_run(); // nullptr: this process is not recorded

} // namespace tactus
