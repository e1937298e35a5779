// A run's times with and without the tracer, side by side: of all, by rank and by function.
#pragma once

#include "postproc/compensate/compensate.hpp"
#include "trace/compensated_rows.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tactus {

struct CompensatedRun {
    std::vector<CompensatedRank> ranks;         // in rank order
    std::vector<CompensatedFunction> functions; // most measured time first
    TimePair wall;                              // of the rank that took longest, each
    TimePair mpi;                               // the sum of all ranks
    std::uint64_t spans = 0;                    // calls, and the times between them
    std::uint64_t clamped = 0;
    double clamped_s = 0;
    DelayCounts counts;
    std::uint64_t unknown = 0;   // as in Compensation
    std::uint64_t unmatched = 0; // messages without a counterpart
};

// Of a trace whose messages carried delays: the receives by how their threads found out what they changed.
using ReceivesByBasis = std::array<std::uint64_t, delay_bases>;
ReceivesByBasis receives_by_basis(const Trace& trace);

// Plays the run, by the clocks that the trace has now.
CompensatedRun compensated_run(const Trace& trace, DelaySource source);

// What was computed when the trace was finished, by the clocks that it got then; nothing when a rank of it does not
// say.
std::optional<CompensatedRun> stored_compensation(const Trace& trace);

} // namespace tactus
