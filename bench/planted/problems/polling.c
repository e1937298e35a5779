/* A worker polls for the tasks of a slow master. */
#include "planted.h"

void prepare_task(void) { spend_ms(40); } /* here */

int main(int argc, char** argv) {
    int task = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 50; ++step) {
        if (rank == 0) {
            prepare_task();
            MPI_Send(&task, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* here */
            continue;
        }
        for (int there = 0; !there;) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE); /* here */
        MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute_ms(10);
    }
    MPI_Finalize();
}
