/* A clock for bench/instructions that shows the main thread the same times in every run: its n-th call gets n
 * microseconds plus a pseudo-random number of up to 900 nanoseconds. The other threads read further on from where the
 * main thread is, and do not move its clock. It is preloaded before the tracer. So the times in the trace, and the work
 * of encoding and compressing them, depend neither on the machine nor on how its threads take turns. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* Reading such a variable takes one instruction: what the clock takes is counted with the tracer. */
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

static atomic_uint_fast64_t calls_of_main;
static _Thread_local int is_main INITIAL_EXEC;
static _Thread_local uint64_t calls_of_other INITIAL_EXEC;

__attribute__((constructor)) static void mark_main_thread(void) { is_main = 1; }

int clock_gettime(clockid_t clock, struct timespec* time) {
    (void)clock;
    uint64_t number = atomic_load_explicit(&calls_of_main, memory_order_relaxed);
    if (is_main)
        atomic_store_explicit(&calls_of_main, ++number, memory_order_relaxed);
    else
        number += ++calls_of_other;
    const uint64_t mixed = (number ^ number >> 7) * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t ns = number * 1000 + (mixed >> 32) % 900;
    time->tv_sec = (time_t)(1000000000 + ns / 1000000000); /* any date */
    time->tv_nsec = (long)(ns % 1000000000);
    return 0;
}
