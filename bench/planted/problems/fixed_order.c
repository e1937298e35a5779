/* Rank 0 receives in the order of ranks: while it waits for rank 1, which is slow, the message of rank 2 is ready. */
#include "planted.h"

enum { bytes = 1 << 20 };

void merge(void) { compute_ms(20); }

int main(int argc, char** argv) {
    char* part = calloc(bytes, 1);
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 30; ++step) {
        if (rank > 0) {
            spend_ms(rank == 1 ? 45 : 10);
            MPI_Send(part, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD); /* here */
        }
        for (int from = 1; rank == 0 && from < ranks; ++from) {
            MPI_Recv(part, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
            merge();
        }
        MPI_Bcast(part, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
