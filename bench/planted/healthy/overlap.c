/* An exchange is under way while each rank computes, and is over when it is waited for. */
#include "planted.h"

int main(int argc, char** argv) {
    static double edge[512], halo[2][512];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 150; ++step) {
        MPI_Irecv(halo[step % 2], 512, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(edge, 512, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        compute_for_ms(16);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
}
