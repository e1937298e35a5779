/* What these programs share: the rank, a core to run on, and ways in which time passes. The functions are always
 * inlined, so that a function that calls them is the one that the time is spent in. */
#ifndef TACTUS_BENCH_PLANTED_H
#define TACTUS_BENCH_PLANTED_H

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;
static bool sleeps; /* the form of the problem: a rank that is late sleeps, instead of computing */

/* Is called first after MPI_Init. */
static inline void begin(int argc, char** argv) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sleeps = argc > 1 && strcmp(argv[1], "sleep") == 0;
}

__attribute__((always_inline)) static inline double clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Computes until this clock has advanced by `ms`. */
__attribute__((always_inline)) static inline void compute_by(clockid_t clock, double ms) {
    const double end = clock_ms(clock) + ms;
    volatile double sum = 0;
    while (clock_ms(clock) < end)
        for (int i = 0; i < 2000; ++i) sum = sum + 1.0 / (i + 1);
}

/* Uses a core for `ms`. This takes longer where the thread has no core of its own. */
__attribute__((always_inline)) static inline void compute_ms(double ms) { compute_by(CLOCK_THREAD_CPUTIME_ID, ms); }

/* Computes for `ms` of wall time. Ranks that do this are balanced, however busy the machine is. */
__attribute__((always_inline)) static inline void compute_for_ms(double ms) { compute_by(CLOCK_MONOTONIC, ms); }

/* Sleeps or computes, as the form of the problem says. The empty statement at the end keeps the compiler from a tail
 * call, which would take the frame of the caller away before it sleeps. */
__attribute__((always_inline)) static inline void spend_ms(double ms) {
    if (sleeps)
        usleep((useconds_t)(1e3 * ms));
    else
        compute_ms(ms);
    __asm__ volatile("");
}

/* Lets the process run only on one core: the nth of those that it may use. */
static inline void pin_to(int nth) {
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed) && nth-- == 0) CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) abort();
}

#endif
