/* The ranks have the same work in all, but in each step another one refines its part. */
#include "planted.h"

void refine(void) { spend_ms(40); } /* here */

int main(int argc, char** argv) {
    double part = 1, all = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 50; ++step) {
        compute_for_ms(8);
        if (step % ranks == rank) refine();
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* here */
    }
    MPI_Finalize();
}
