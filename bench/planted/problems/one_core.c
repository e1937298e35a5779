/* Both ranks may run on one core only. */
#include "planted.h"

int main(int argc, char** argv) {
    double part = 1, all = 0;
    pin_to(0);
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 60; ++step) {
        compute_ms(20);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
