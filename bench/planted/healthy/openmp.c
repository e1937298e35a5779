/* One rank with two balanced OpenMP threads: as many as there are cores. */
#include "planted.h"

int main(int argc, char** argv) {
    double part = 1, all = 0;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    begin(argc, argv);
    for (int step = 0; step < 100; ++step) {
#pragma omp parallel num_threads(2)
        compute_for_ms(25);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
