/* A job of three ranks that dies while it works. When rank 2 kills itself, rank 0 waits for a message from rank 2, and
 * rank 1 waits in a barrier. */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

enum { rounds = 200 };

int main(int argc, char** argv) {
    int rank, ranks, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rounds; ++i) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % ranks, 3, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        usleep(200);
    }
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) {
        sleep(1);
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
