/* Rank 0 sends large messages to rank 1, which receives each late, because it analyzes the one before for long. */
#include "planted.h"

enum { bytes = 4 << 20 };

void analyze(void) { spend_ms(50); } /* here */

int main(int argc, char** argv) {
    char* data = calloc(bytes, 1);
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 50; ++step) {
        if (rank == 1) {
            analyze();
            MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
        } else {
            compute_ms(5);
            MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* here */
        }
    }
    MPI_Finalize();
}
