// Calls a function of MPI that tactus does not know, between calls that it knows.
#include <mpi.h>
#include <stdio.h>

int MPI_Later(int value);

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    printf("MPI_Later gives %d\n", MPI_Later(41));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
