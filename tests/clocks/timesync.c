/* Messages back and forth between neighbors for SECONDS, with VT_timesync at even intervals, so that ROUNDS rounds are
 * made in all, including those of MPI_Init and MPI_Finalize. Usage: timesync SECONDS ROUNDS [exit|threads]. exit:
 * without MPI_Finalize. threads: sends the same messages from a second thread, on its own communicator. */
#include "VT.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int left;
static int right;
static atomic_int over;

static void pass_around(MPI_Comm comm, int out) {
    int in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    if (in != left) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void* beside(void* comm) {
    int rank = 0;
    MPI_Comm_rank(*(MPI_Comm*)comm, &rank);
    int all_over = 0;
    while (!all_over) {
        for (int i = 0; i < 20; ++i) pass_around(*(MPI_Comm*)comm, rank);
        const int mine = atomic_load(&over);
        MPI_Allreduce(&mine, &all_over, 1, MPI_INT, MPI_MIN, *(MPI_Comm*)comm);
    }
    return NULL;
}

int main(int argc, char** argv) {
    const char* const how = argc > 3 ? argv[3] : "";
    const int threads = strcmp(how, "threads") == 0;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    if (threads && provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 5);
    const double length = argc > 1 ? atof(argv[1]) : 1;
    const int rounds = argc > 2 ? atoi(argv[2]) : 2;
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    pthread_t second;
    MPI_Comm comm_of_second = MPI_COMM_NULL;
    if (threads) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_of_second);
        if (pthread_create(&second, NULL, beside, &comm_of_second) != 0) MPI_Abort(MPI_COMM_WORLD, 6);
    }
    const double begin = seconds();
    int synchronized = 0;
    int go_on = 1;
    while (go_on) {
        for (int i = 0; i < 20; ++i) pass_around(MPI_COMM_WORLD, rank);
        const double passed = seconds() - begin;
        /* rank 0 decides: 0 means continue, 1 measure, 2 stop */
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
    if (threads) {
        atomic_store(&over, 1);
        pthread_join(second, NULL);
        MPI_Comm_free(&comm_of_second);
    }
    if (strcmp(how, "exit") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        exit(0);
    }
    MPI_Finalize();
    if (rank == 0) puts("timesync: done");
    return 0;
}
