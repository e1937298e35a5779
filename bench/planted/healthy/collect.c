/* Ranks work alone; the first one collects the results at the end. */
#include "planted.h"

int main(int argc, char** argv) {
    static double result[2][1000];
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    compute_for_ms(2500);
    if (rank == 0)
        MPI_Recv(result[1], 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(result[rank], 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
}
