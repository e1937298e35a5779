/* Balanced computation, with a sum over all ranks now and then. */
#include "planted.h"

int main(int argc, char** argv) {
    double part = 1, all = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 12; ++step) {
        compute_for_ms(200);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
