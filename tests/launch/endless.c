/* Two ranks that never end by themselves: rank 1 comes late to every reduction, inside a region of VT.h. */
#include <VT.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, inner, one = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    VT_funcdef("solver:inner", VT_NOCLASS, &inner);
    VT_begin(inner);
    for (;;) {
        if (rank == 1) usleep(2000);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}
