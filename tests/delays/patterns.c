/* Programs whose untraced run can be measured by running them untraced: their computation spins on the clock.
 *
 *   patterns stencil|wavefront|random|master [STEPS]
 *
 * Rank 0 prints the seconds between two marks, which are calls of MPI_Pcontrol (1 after a barrier, 2 at the end), of
 * the rank that took longest. */
#include "core.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, steps;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void compute(double us) {
    const double end = seconds() + 1e-6 * us;
    while (seconds() < end) {
    }
}

/* Random numbers that are the same on every rank: who works how long, and who sends to whom. */
static unsigned random_below(unsigned limit) {
    static unsigned long long state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % limit;
}

static void stencil(void) {
    double in[2], out[2] = {0, 0}, sum = 0;
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < steps; ++i) {
        MPI_Request requests[4];
        MPI_Irecv(&in[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&out[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&out[1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
        compute(30 + 10 * ((rank + i) % 2));
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        compute(5);
        if (i % 50 == 49) MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* A cell waits for the cell on its left, which is a step ahead. In every other sweep, the first rank has most to do. */
static void wavefront(void) {
    double cell = 0;
    for (int i = 0; i < steps; ++i) {
        if (rank > 0) MPI_Recv(&cell, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < rank % 2 * 3; ++k) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        compute(i / 100 % 2 == rank % 2 ? 15 : 6);
        if (rank + 1 < ranks) MPI_Send(&cell, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
        if (i % 100 == 99) MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void scattered(void) {
    double value = 0;
    for (int i = 0; i < steps; ++i) {
        const int from = (int)random_below((unsigned)ranks);
        const int to = (from + 1 + (int)random_below((unsigned)ranks - 1)) % ranks;
        for (int r = 0; r < ranks; ++r) {
            const double us = random_below(20);
            if (r == rank) compute(us);
        }
        if (rank == from) MPI_Send(&value, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        if (rank == to) MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (random_below(10) == 0) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (random_below(20) == 0) MPI_Bcast(&value, 1, MPI_DOUBLE, from, MPI_COMM_WORLD);
    }
}

/* The master hands out work whenever a worker asks for it. */
static void master(void) {
    int work = 0;
    MPI_Status status;
    if (rank == 0) {
        for (int left = ranks - 1; left > 0;) {
            MPI_Recv(&work, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            compute(1);
            const int next = steps-- > 0 ? 1 : 0;
            left -= 1 - next;
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
        }
        return;
    }
    do {
        MPI_Send(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(12);
    } while (work != 0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* pattern = argc > 1 ? argv[1] : "";
    steps = argc > 2 ? atoi(argv[2]) : 20000;
    void (*run)(void) = strcmp(pattern, "stencil") == 0     ? stencil
                        : strcmp(pattern, "wavefront") == 0 ? wavefront
                        : strcmp(pattern, "random") == 0    ? scattered
                        : strcmp(pattern, "master") == 0    ? master
                                                            : NULL;
    if (run == NULL || ranks < 2) {
        fprintf(stderr, "usage: patterns stencil|wavefront|random|master [STEPS], at least two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    MPI_Pcontrol(1);
    run();
    MPI_Pcontrol(2);
    double taken = seconds() - begin;
    double longest = 0;
    MPI_Reduce(&taken, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.9f\n", longest);
    print_seconds_without_core();
    MPI_Finalize();
    return 0;
}
