/* A program that calls VT.h alone, so that a linker with --as-needed drops its MPI; with WITH_MPI it calls MPI, too.
 * See links.py. */
#include <VT.h>
#include <stdio.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

int main(int argc, char** argv) {
    int step, rank;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#else
    if (VT_initialize(&argc, &argv) != VT_OK) return 1;
#endif
    if (VT_funcdef("alone:step", VT_NOCLASS, &step) != VT_OK || VT_begin(step) != VT_OK || VT_end(0) != VT_OK) return 2;
    if (VT_getrank(&rank) != VT_OK) return 3;
    printf("rank %d\n", rank);
#ifdef WITH_MPI
    MPI_Finalize();
#else
    if (VT_finalize() != VT_OK) return 4;
#endif
    return 0;
}
