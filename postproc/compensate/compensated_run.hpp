// A run's times with and without the tracer, side by side: in total, by rank and by function.
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
    TimePair wall;                              // each time is that of the rank that took longest
    TimePair mpi;                               // the sum of all ranks
    std::uint64_t spans = 0;                    // calls, and the times between them
    std::uint64_t clamped = 0;
    double clamped_s = 0;
    DelayCounts counts;
    std::uint64_t unknown = 0;   // as in Compensation
    std::uint64_t unmatched = 0; // messages without a counterpart
};

// For a trace whose messages carried delays: counts the receives by how the receiving thread found out what they
// changed in its delay (DelayBasis).
using ReceivesByBasis = std::array<std::uint64_t, delay_bases>;
ReceivesByBasis receives_by_basis(const Trace& trace);

// Plays the run by the clocks that the trace has now.
Result<CompensatedRun> compensated_run(const Trace& trace, DelaySource source);

// Returns what was computed when the trace was finished, or nothing where a rank of it does not have it, or has it by
// other clocks or records. `run`: run_identity() (postproc/lod/rank_index.hpp) of the trace as it is now.
std::optional<CompensatedRun> stored_compensation(const Trace& trace, std::uint64_t run);

} // namespace tactus
