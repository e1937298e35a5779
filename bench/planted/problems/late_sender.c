/* Rank 0 receives what rank 1 sends late, because it prepares it for long. */
#include "planted.h"

void prepare(void) { spend_ms(50); } /* here */

int main(int argc, char** argv) {
    int value = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 50; ++step) {
        if (rank == 1) {
            prepare();
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* here */
        } else {
            compute_ms(5);
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
        }
    }
    MPI_Finalize();
}
