// A library that is loaded and unloaded. It is built twice: both have the same size, and so come to lie at the same
// addresses, but one makes a barrier where the other makes a sum.
#include <mpi.h>

int work(void);
int work(void) {
    int one = 1;
    int sum = 0;
#ifdef SUMS
    return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
#else
    (void)one;
    (void)sum;
    return MPI_Barrier(MPI_COMM_SELF);
#endif
}
