/* Three ranks that may run on one core only, and all compute: each has no core for about two thirds of the time. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <time.h>

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static void share_a_core(void) {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    int core = 0;
    while (core < CPU_SETSIZE && !CPU_ISSET(core, &all)) ++core;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    share_a_core();
    for (int i = 0; i < 20; ++i) {
        for (const double end = cpu_s() + 0.02; cpu_s() < end;) {
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
