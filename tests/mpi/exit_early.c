/* Every rank leaves with exit(3) and without MPI_Finalize: the trace must be readable and the exit status the program's
 * own. Any number of ranks. */
#include "check.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int me = rank_in(MPI_COMM_WORLD), sum;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size_of(MPI_COMM_WORLD) * (size_of(MPI_COMM_WORLD) - 1) / 2);
    say_done("exit_early");
    /* The launcher kills the others when the first one leaves like this: rank 0's line is out before. */
    MPI_Barrier(MPI_COMM_WORLD);
    exit(3);
}
