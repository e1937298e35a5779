// Passes a number around a ring of ranks, and prints on rank 0 what all of them got. With the argument `overflow`, rank
// 0 then writes behind the end of its memory, which the address sanitizer reports.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int* number = malloc(sizeof *number);
    *number = 100 + rank;
    MPI_Sendrecv_replace(number, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    int all[16];
    MPI_Gather(number, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; ++i) printf("rank %d got %d\n", i, all[i]);
    fflush(stdout);
    const int overflow = argc > 1 && strcmp(argv[1], "overflow") == 0;
    volatile int beyond = overflow && rank == 0 ? 100 : 0;
    number[beyond] = 1;
    free(number);
    MPI_Finalize();
    return 0;
}
