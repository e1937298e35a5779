/* Measures within one process what recording costs: the same work in turn with recording and without (MPI_Pcontrol),
 * in the order on, off, off, on. The machine changes its speed from process to process, and slowly within one, by more
 * than recording costs; between neighbors in time it does not. Before each measured slice a part of the work is done
 * unmeasured, until the tracer has noticed. Untraced, the difference is that of chance. */
#ifndef TACTUS_BENCH_SLICES_H
#define TACTUS_BENCH_SLICES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most_slices = 4096 };

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Prints on rank 0 the wall time of each slice and the processor time of all threads of all ranks, in seconds:
 * "slice on|off WALL CPU". `unmeasured` and `measured` say how much of the work each slice does. */
static void run_slices(int slices, void (*work)(void* self, int amount), void* self, int unmeasured, int measured) {
    static double wall_s[most_slices], cpu_s[most_slices], all_s[most_slices];
    int rank;
    if (slices > most_slices) slices = most_slices;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < slices; ++i) {
        MPI_Pcontrol(i % 4 == 0 || i % 4 == 3);
        work(self, unmeasured);
        MPI_Barrier(MPI_COMM_WORLD);
        const double began_s = seconds_of(CLOCK_MONOTONIC);
        const double cpu_began_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        work(self, measured);
        cpu_s[i] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_began_s;
        MPI_Barrier(MPI_COMM_WORLD);
        wall_s[i] = seconds_of(CLOCK_MONOTONIC) - began_s;
    }
    MPI_Pcontrol(1);
    MPI_Reduce(cpu_s, all_s, slices, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < slices; ++i)
        printf("slice %s %.6f %.6f\n", i % 4 == 0 || i % 4 == 3 ? "on" : "off", wall_s[i], all_s[i]);
}

#endif
