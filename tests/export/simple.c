/* A program for two ranks, for which the events that EZTrace writes can be counted by hand. */
#include <mpi.h>

int main(int argc, char** argv) {
    int rank, sum, got = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; ++i) {
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Irecv(&got, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Isend(&got, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
