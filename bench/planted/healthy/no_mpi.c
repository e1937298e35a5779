/* A long computation that calls MPI only to begin and to end. */
#include "planted.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    compute_for_ms(2500);
    MPI_Finalize();
}
