// What tracing cost the run: the measured overhead of a recorded call, multiplied by the number of calls, and what was
// measured around them.
#pragma once

#include "trace/rank_file.hpp"

#include <cstdint>

namespace tactus {

// Seconds, summed over the ranks.
struct TracerCost {
    double recording_s = 0; // overhead per call x calls
    double sealing_s = 0;   // encoding and compressing, in the threads that made the calls
    double stalled_s = 0;   // waiting for a write or doing it, in these threads
    double reading_s = 0;   // what the operating system counts
    double writing_s = 0;   // in background threads
    double starting_s = 0;  // the part of tactus in MPI_Init, or where else the recording begins
    double finishing_s = 0; // the part of tactus in MPI_Finalize
    double measuring_s = 0; // of clocks, without the rounds at the start and the end
    [[nodiscard]] double total_s() const {
        return recording_s + sealing_s + stalled_s + reading_s + writing_s + starting_s + finishing_s + measuring_s;
    }
};
TracerCost tracer_cost(const Trace& trace);

// Statistics over the ranks, each of which measures its overhead at the start. The trace must have a rank.
struct CallOverhead {
    double mean_ns = 0;
    double min_ns = 0;
    double max_ns = 0;
};
CallOverhead call_overhead(const Trace& trace);

// Sums over the blocks of a file, so they are also known for a file that was never closed.
struct Volume {
    std::uint64_t calls = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0; // of the rank files
    std::uint64_t lanes = 0;
};
Volume volume_of(const RankFile& file);
Volume volume_of(const Trace& trace);

} // namespace tactus
