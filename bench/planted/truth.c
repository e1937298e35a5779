/* Computes in three functions by turns, for shares of its time on a core that are known, and prints what it took:
 * "took FUNCTION SECONDS" on a core, and "kept SECONDS" for which the kernel kept it from one meanwhile.
 *   truth SEED */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { turns = 150, functions = 3 };

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Asks for the time seldom, so that the time on a core is the function's own. */
#define COMPUTES(name)                                                                                                 \
    __attribute__((noinline)) static double name(double seconds) {                                                     \
        const double begin = cpu_s();                                                                                  \
        volatile double x = 1;                                                                                         \
        double end = begin;                                                                                            \
        for (; end < begin + seconds; end = cpu_s())                                                                   \
            for (int i = 0; i < 200000; ++i) x = x * 1.0000001 + 1e-9;                                                 \
        return end - begin;                                                                                            \
    }

COMPUTES(large)
COMPUTES(middle)
COMPUTES(small)

static double kept_s(void) {
    unsigned long long ran, kept = 0;
    FILE* const file = fopen("/proc/thread-self/schedstat", "r");
    if (file == NULL || fscanf(file, "%llu %llu", &ran, &kept) != 2) exit(3);
    fclose(file);
    return 1e-9 * (double)kept;
}

int main(int argc, char** argv) {
    double (*const all[functions])(double) = {large, middle, small};
    static const char* const names[functions] = {"large", "middle", "small"};
    static const double mean_s[functions] = {0.012, 0.006, 0.002};
    double took_s[functions] = {0, 0, 0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    srand((unsigned)(argc > 1 ? atoi(argv[1]) : 1) * 64 + (unsigned)rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double before_s = kept_s();
    for (int turn = 0; turn < turns; ++turn)
        for (int i = 0; i < functions; ++i) took_s[i] += all[i](mean_s[i] * 2 * rand() / RAND_MAX);
    const double after_s = kept_s();
    for (int i = 0; i < functions; ++i) printf("took %s %.6f\n", names[i], took_s[i]);
    printf("kept %.6f\n", after_s - before_s);
    MPI_Finalize();
    return 0;
}
