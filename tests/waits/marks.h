/* When each rank arrived at its marks, and how long others waited because of it, according to the marks of all ranks.
 */
#ifndef TACTUS_TESTS_WAITS_MARKS_H
#define TACTUS_TESTS_WAITS_MARKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 10, most_marks = 4 * rounds };

static int rank, size;
static double marks[most_marks]; /* when this rank arrived at its marks */
static int marked;
static double meetings[rounds + 1]; /* when it arrived at the barriers before the problem and before its rounds */
static int met;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void mark(void) { marks[marked++] = now(); }
static void meet(void) {
    meetings[met++] = now();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void work(double seconds) {
    const double end = now() + seconds;
    const struct timespec pause = {0, (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
    while (now() < end) {
    }
}

/* The amount of each round. The seed determines it, so it is the same on all ranks. */
static double amount(void) { return 0.008 + 0.004 * rand() / RAND_MAX; }

/* Whether `victim` waits for `causer` at their k-th marks. */
typedef int waiting(int victim, int causer, int k);
static int all_for_all(int victim, int causer, int k) { return (void)k, victim != causer; }
static int first_for_second(int victim, int causer, int k) { return (void)k, victim == 0 && causer == 1; }
static int second_for_first(int victim, int causer, int k) { return (void)k, victim == 1 && causer == 0; }
static int first_for_others(int victim, int causer, int k) { return (void)k, victim == 0 && causer > 0; }
static int others_for_first(int victim, int causer, int k) { return (void)k, victim > 0 && causer == 0; }
static int for_those_in_front(int victim, int causer, int k) { return (void)k, causer < victim; }
static int for_neighbors(int victim, int causer, int k) {
    return (void)k, causer == (victim + 1) % size || victim == (causer + 1) % size;
}
/* Two marks a round: at the first, rank 1 waits for rank 2; at the second, rank 0 waits for rank 1. */
static int between_communicators(int victim, int causer, int k) { return causer == victim + 1 && victim == 1 - k % 2; }
/* Two marks a round, before the receive and before the send: each rank waits until the previous rank arrives at its
 * send. */
static int in_chain(int victim, int causer, int k) { return k % 2 == 0 && causer == victim - 1; }
/* The hot receiver has a mark for each sender in each round. All senders wait for it. */
static int for_hot(int victim, int causer, int k) { return (void)k, victim > 0 && causer == 0; }

/* The number of the causer's mark that ends the wait. */
static int causers_mark(waiting* waits, int victim, int k) {
    if (waits == in_chain) return k + 1;
    return waits == for_hot ? k * (size - 1) + victim - 1 : k;
}

/* Each rank waits for the last of the ranks that it waits for. Returns on rank 0 what all of them lost, of the first
 * `count` of their `most` moments; the others return 0. Collective. */
static double lost_by(waiting* waits, const double* moments, int most, int count) {
    double* all = rank == 0 ? malloc((size_t)size * (size_t)most * sizeof *all) : NULL;
    MPI_Gather(moments, most, MPI_DOUBLE, all, most, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double lost = 0;
    if (rank != 0) return lost;
    for (int k = 0; k < count; ++k)
        for (int victim = 0; victim < size; ++victim) {
            const double came = all[victim * most + k];
            double last = came;
            for (int causer = 0; causer < size; ++causer) {
                if (!waits(victim, causer, k)) continue;
                const double given = all[causer * most + causers_mark(waits, victim, k)];
                if (given > last) last = given;
            }
            lost += last - came;
        }
    free(all);
    return lost;
}

#endif
