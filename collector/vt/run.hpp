// Starting and ending the run through VT.h, and asking about it.
#pragma once

namespace tactus {

// True once, when VT_initialize started MPI and the program's own MPI_Init comes after it: it must succeed as it does
// untraced, without reaching the MPI.
bool takes_over_vt_initialize();

int initialize_run(int* argc, char*** argv);
int finalize_run();
int abort_run();
int rank_of_run(int* rank);
int flush_thread();
int synchronize_clocks();
double seconds_now();
double seconds_at_start();
int set_tracing(bool on);
int tracing_state(int* state);
int number_of_thread(int* index);

} // namespace tactus
