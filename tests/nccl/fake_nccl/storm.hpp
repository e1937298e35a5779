// Runs as many operations as a processor can do, for benchmarks and to check that plugins do not fall far behind, or
// with pauses.
#pragma once

#include "communicator.hpp"

#include <chrono>

namespace tactus::fake_nccl {

struct Storm {
    std::size_t threads = 1;           // each has its own communicator
    std::size_t operations = 1'000;    // of each thread: an all_reduce of one float
    std::chrono::nanoseconds pause{0}; // of each thread after each operation
    CommunicatorOptions comm{};        // of the first thread; the others have the ids that follow
};

struct StormTimes {
    std::int64_t calls_ns = 0; // from the first call to the last thread's last return
    std::int64_t all_ns = 0;   // until the progress threads have finished, too
};

// Kernels take no time, whatever storm.comm says. The times do not include inits and destroys.
StormTimes run_storm(Library& library, const Storm& storm);

} // namespace tactus::fake_nccl
