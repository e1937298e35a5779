/* VT_timesync in unusual situations. Usage: meeting late RANK SECONDS | outside | closed | spawn. late: RANK calls it
 * SECONDS later than the others. outside: before MPI_Init and after MPI_Finalize. closed: after one rank has closed its
 * trace. spawn: in processes that were spawned. */
#include "VT.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures = 0;

static void expect(int got, int wanted, const char* where) {
    if (got == wanted) return;
    ++failures;
    printf("VT_timesync %s gave %d instead of %d\n", where, got, wanted);
}

static void late(int who, double seconds) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect(VT_timesync(), VT_OK, "together");
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (rank == who) nanosleep(&pause, NULL);
    expect(VT_timesync(), VT_OK, "late");
    expect(VT_timesync(), VT_OK, "at once again");
}

/* One rank closes its trace in the middle. The others must not wait for it. */
static void closed(void) {
    int rank = 0;
    int sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 400; ++i) {
        if (i == 100 && rank == 1) VT_abort();
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    expect(VT_timesync(), VT_OK, "with a closed trace");
}

static void spawn(const char* program) {
    MPI_Comm parent;
    MPI_Comm children;
    char child[] = "spawn";
    char* arguments[] = {child, NULL};
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        expect(VT_timesync(), VT_OK, "in a parent");
        MPI_Barrier(children);
    } else {
        /* a child that is not recorded has no result to check */
        const int got = VT_timesync();
        if (got != VT_OK) expect(got, VT_ERR_SPAWNED, "in a child");
        if (got == VT_ERR_SPAWNED) puts("a child was refused");
        MPI_Barrier(parent);
    }
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "outside") == 0) expect(VT_timesync(), VT_ERR_NOTINITIALIZED, "before MPI_Init");
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "late") == 0) late(atoi(argv[2]), atof(argv[3]));
    if (strcmp(what, "closed") == 0) closed();
    if (strcmp(what, "spawn") == 0) spawn(argv[0]);
    MPI_Finalize();
    if (strcmp(what, "outside") == 0) expect(VT_timesync(), VT_ERR_NOTINITIALIZED, "after MPI_Finalize");
    if (rank == 0 && failures == 0) puts("meeting: done");
    return failures != 0;
}
