/* A sum over all ranks is computed while each of them goes on. */
#include "planted.h"

int main(int argc, char** argv) {
    double part = 1, all = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 150; ++step) {
        MPI_Request sum;
        MPI_Iallreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &sum);
        compute_for_ms(16);
        MPI_Wait(&sum, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}
