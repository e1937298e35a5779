/* A barrier after each step, for no reason: steps take different times, but the same in all on every rank. */
#include "planted.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 77; ++step) {
        spend_ms(5.0 * ((7 * step + 5 * rank) % 11));
        MPI_Barrier(MPI_COMM_WORLD); /* here */
    }
    MPI_Finalize();
}
