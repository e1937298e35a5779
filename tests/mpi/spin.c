/* A job that hangs, for `tactus where`: rank 1 is in MPI_Recv (source 0, tag 77), and all others are in MPI_Barrier. It
 * needs at least two ranks. After argv[1] seconds (default 30) an alarm ends every rank with status 0; a launcher may
 * still report a failure, since no rank called MPI_Finalize. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

static void leave(int signal_number) {
    (void)signal_number;
    _exit(0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    CHECK(size_of(MPI_COMM_WORLD) >= 2);
    signal(SIGALRM, leave);
    alarm(argc > 1 ? (unsigned)atoi(argv[1]) : 30);
    if (rank_in(MPI_COMM_WORLD) == 0) {
        printf("spin: hanging\n");
        fflush(stdout);
    }
    int value;
    if (rank_in(MPI_COMM_WORLD) == 1) MPI_Recv(&value, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 1;
}
