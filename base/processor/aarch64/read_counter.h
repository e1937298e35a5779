/* The counter of the processor as it is, for C and C++. Without the barrier it could be read earlier than the
 * instructions before it have been carried out. */
#pragma once

#include <stdint.h>

static inline uint64_t read_counter(void) {
    uint64_t count;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
    return count;
}
