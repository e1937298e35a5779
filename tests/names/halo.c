/* Functions that end with a call of the MPI. An optimizing compiler makes that call a jump, so that the function is on
 * no stack while the MPI is at work. names.py looks for the lines that are marked here. */
#include <mpi.h>
#include <stdio.h>

static int value;

__attribute__((noinline)) int send_halo(int to) {
    value += to;
    return MPI_Send(&value, 1, MPI_INT, to, 7, MPI_COMM_WORLD); /* one jump */
}

__attribute__((noinline)) static int send_behind(int to) {
    value -= to;
    return send_halo(to); /* a jump to a function that jumps */
}

__attribute__((noinline)) int either(int round) {
    if (round % 2 == 0) return MPI_Barrier(MPI_COMM_WORLD); /* one of two jumps */
    return MPI_Comm_rank(MPI_COMM_SELF, &value);
}

int main(int argc, char** argv) {
    int rank, ranks, other, received;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    other = (rank + 1) % ranks;
    for (int i = 0; i < 10; i++) {
        send_halo(other);                                                                      /* in main */
        send_behind(other);                                                                    /* in main */
        MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* a call */
        MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        either(i); /* through either */
    }
    MPI_Finalize();
    if (rank == 0) printf("done\n");
    return 0;
}
