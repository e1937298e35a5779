// The functions of VT.h that start and end the run, or ask about it. An `int` that they return is a code of VT.h.
#pragma once

namespace tactus {

// True once, in the program's MPI_Init after VT_initialize has started MPI. That call must succeed, as it does without
// tactus, but it must not reach the MPI.
bool takes_over_vt_initialize();

int initialize_run(int* argc, char*** argv);
int finalize_run();
int abort_run();
int rank_of_run(int* rank);
int flush_thread();
int synchronize_clocks();
double seconds_now();
double seconds_at_start();
// For this thread. Before MPI_Init it holds from the end of MPI_Init.
int set_tracing(bool on);
int tracing_state(int* state);
int number_of_thread(int* index);
// For calls that a trace has no record for: counts them.
int not_recorded_yet();
// Says what libraries beside the program ask for and do not get, once a job. Called when recording begins.
void explain_vt_libraries();

} // namespace tactus
