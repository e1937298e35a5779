/* A million messages of 8 bytes from each rank to the other, where some thousand large ones would do. */
#include "planted.h"

int main(int argc, char** argv) {
    double cell = 1;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    const int other = 1 - rank;
    for (int step = 0; step < 10000; ++step) {
        for (int i = 0; i < 100; ++i) MPI_Send(&cell, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); /* here */
        for (int i = 0; i < 100; ++i)
            MPI_Recv(&cell, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
    }
    MPI_Finalize();
}
