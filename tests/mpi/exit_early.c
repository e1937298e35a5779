/* Every rank ends with exit(3), without MPI_Finalize. The trace must be readable, and the exit status must be the
 * program's. Any number of ranks. */
#include "check.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int me = rank_in(MPI_COMM_WORLD), sum;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size_of(MPI_COMM_WORLD) * (size_of(MPI_COMM_WORLD) - 1) / 2);
    say_done("exit_early");
    /* When the first rank ends like this, the launcher kills the others; by then rank 0 has printed its line. */
    MPI_Barrier(MPI_COMM_WORLD);
    exit(3);
}
