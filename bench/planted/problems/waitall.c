/* Starts to exchange large messages and at once waits for them, although it could compute in the meantime. */
#include "planted.h"

enum { bytes = 64 << 20 };

int main(int argc, char** argv) {
    char* halo = calloc(bytes, 1);
    char* edge = calloc(bytes, 1);
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 80; ++step) {
        MPI_Request both[2];
        MPI_Irecv(halo, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(edge, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* here */
        compute_for_ms(20);
    }
    MPI_Finalize();
}
