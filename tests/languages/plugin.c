/* A plugin that is linked with MPI; see plugin_host.c. It is also linked into a program whose RPATH has its own libmpi.
 */
#include "check.h"

int run_plugin(void);

int run_plugin(void) {
    MPI_Init(NULL, NULL);
    const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    int theirs = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &theirs, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(theirs == (rank + size - 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    say_done("plugin");
    MPI_Finalize();
    return 0;
}
