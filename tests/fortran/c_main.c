/* A program in two languages whose main program is C. It starts MPI here, and a Fortran half uses it, too. */
#include "c_calls.h"
#include <stdio.h>

void fortran_half(const MPI_Fint* comm, const MPI_Fint* request, int* numbers);

int main(int argc, char** argv) {
    int rank, size, sent, numbers[3];
    CALLED(MPI_Init)(&argc, &argv);
    CALLED(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    CALLED(MPI_Comm_size)(MPI_COMM_WORLD, &size);
    sent = 7 * rank;
    MPI_Request request;
    CALLED(MPI_Isend)(&sent, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &request);
    MPI_Fint comm_of_fortran = CONVERTED(MPI_Comm_c2f)(MPI_COMM_WORLD);
    MPI_Fint request_of_fortran = CONVERTED(MPI_Request_c2f)(request);
    fortran_half(&comm_of_fortran, &request_of_fortran, numbers);
    int sums[3];
    CALLED(MPI_Reduce)(numbers, sums, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("sums %d %d %d\n", sums[0], sums[1], sums[2]);
    CALLED(MPI_Finalize)();
    write_counts(&rank);
    return 0;
}
