/* Messages back and forth between neighbors for SECONDS, with VT_timesync at even intervals so that, with those of
 * MPI_Init and MPI_Finalize, ROUNDS rounds are made in all.   timesync SECONDS ROUNDS [exit]   exit: without
 * MPI_Finalize */
#include "VT.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const double length = argc > 1 ? atof(argv[1]) : 1;
    const int rounds = argc > 2 ? atoi(argv[2]) : 2;
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int left = (rank + ranks - 1) % ranks;
    const int right = (rank + 1) % ranks;
    const double begin = seconds();
    int synchronized = 0;
    int go_on = 1;
    while (go_on) {
        int out = rank;
        int in = -1;
        for (int i = 0; i < 20; ++i) {
            MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (in != left) MPI_Abort(MPI_COMM_WORLD, 3);
        }
        const double passed = seconds() - begin;
        /* 0: go on, 1: measure, 2: it is over; rank 0 says */
        int what =
            passed >= length ? 2 : passed >= length * (synchronized + 1) / (rounds - 1) && synchronized + 2 < rounds;
        MPI_Bcast(&what, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (what == 1) {
            if (VT_timesync() != VT_OK) MPI_Abort(MPI_COMM_WORLD, 4);
            ++synchronized;
        }
        go_on = what != 2;
        const struct timespec pause = {0, 500000};
        nanosleep(&pause, NULL);
    }
    if (argc > 3 && strcmp(argv[3], "exit") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        exit(0);
    }
    MPI_Finalize();
    if (rank == 0) puts("timesync: done");
    return 0;
}
