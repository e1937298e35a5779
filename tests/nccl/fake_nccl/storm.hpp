// As many operations as a processor manages: for benchmarks, and for plugins that must not fall behind badly.
#pragma once

#include "communicator.hpp"

namespace tactus::fake_nccl {

struct Storm {
    std::size_t threads = 1;        // each with a communicator of its own
    std::size_t operations = 1'000; // of each thread: all_reduce of one float
    CommunicatorOptions comm{};     // the first thread's; the others have the next ids
};

struct StormTimes {
    std::int64_t calls_ns = 0; // from the first call to the last thread's last return
    std::int64_t all_ns = 0;   // until the progress threads are done too
};

// Kernels take no time, whatever storm.comm says. Inits and destroys are outside of the times.
StormTimes run_storm(Library& library, const Storm& storm);

} // namespace tactus::fake_nccl
