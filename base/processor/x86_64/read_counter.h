/* The counter of the processor as it is, for C and C++. */
#pragma once

#include <stdint.h>
#include <x86intrin.h>

static inline uint64_t read_counter(void) { return __rdtsc(); }
