/* A clock for bench/instructions that shows the same times in every run. The n-th call of any thread gets n
 * microseconds plus a pseudo-random number of up to 900 nanoseconds. It is preloaded before the tracer. So the times in
 * the trace, and the work of encoding and compressing them, do not depend on the machine. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
    static atomic_uint_fast64_t calls;
    (void)clock;
    const uint64_t number = atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed) + 1;
    const uint64_t mixed = (number ^ number >> 7) * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t ns = number * 1000 + (mixed >> 32) % 900;
    time->tv_sec = (time_t)(1000000000 + ns / 1000000000); /* any date */
    time->tv_nsec = (long)(ns % 1000000000);
    return 0;
}
