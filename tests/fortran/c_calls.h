/* For the C halves: makes an MPI call and counts it in the table of the Fortran half. Conversions of handles are
 * functions in Open MPI; in MPICH they are macros, so they are no calls. */
#ifndef TACTUS_TESTS_FORTRAN_C_CALLS_H
#define TACTUS_TESTS_FORTRAN_C_CALLS_H

#include <mpi.h>

void count_call_from_c(const char* name);
void write_counts(const int* rank);

#define CALLED(name) (count_call_from_c(#name), name)

#ifdef MPI_Comm_f2c
#define CONVERTED(name) name
#else
#define CONVERTED(name) CALLED(name)
#endif

#endif
