/* Each rank has a core of its own, but another program runs on that of rank 1: planted.py starts it. */
#include "planted.h"

int main(int argc, char** argv) {
    double part = 1, all = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    pin_to(rank);
    for (int step = 0; step < 60; ++step) {
        compute_ms(20);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* here */
    }
    MPI_Finalize();
}
