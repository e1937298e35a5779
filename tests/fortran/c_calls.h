/* For the C halves: counts an MPI call in the table of the Fortran half beside making it. Conversions of handles are
 * functions in Open MPI and no calls at all, macros, in MPICH. */
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
