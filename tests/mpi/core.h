/* How long the kernel kept a rank from running that could have run, because there was no core for it. What a test
 * expects of times that this machine takes holds only where that was short. */
#ifndef TACTUS_TESTS_MPI_CORE_H
#define TACTUS_TESTS_MPI_CORE_H

#include <stdio.h>

/* Prints to stderr for how many seconds this thread was kept so far, or nothing if the kernel does not count them
 * (proc(5), schedstat). harness.py adds the ranks up. */
static inline void print_seconds_without_core(void) {
    unsigned long long ran_ns, kept_ns;
    FILE* file = fopen("/proc/thread-self/schedstat", "r");
    if (file == NULL) return;
    if (fscanf(file, "%llu %llu", &ran_ns, &kept_ns) == 2) fprintf(stderr, "without a core: %.6f s\n", 1e-9 * kept_ns);
    fclose(file);
}

#endif
