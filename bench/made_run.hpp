// Makes traces of simulated runs: ranks compute and exchange messages, and their clocks are wrong in a known way. The
// trace is written during the simulation, one step of all ranks at a time, so that memory does not grow with the length
// of the run.
#pragma once

#include "base/result.hpp"
#include "bench/made_clock.hpp"

#include <string>

namespace tactus {

enum class MadePattern : std::uint8_t {
    line, // MPI_Irecv, MPI_Isend and MPI_Waitall with two neighbors on a ring
    grid, // the same with four neighbors on a torus
    ring, // MPI_Send to the next rank, MPI_Recv from the previous rank
};
std::optional<MadePattern> made_pattern(std::string_view name);

struct MadeRun {
    std::uint32_t ranks = 8;
    std::uint32_t ranks_a_host = 1;
    std::uint64_t records_a_rank = 100'000; // approximately
    double seconds = 20;                    // approximately; at least as long as the messages need
    double idle_seconds = 0.02;             // between each round of clock measurements and the messages
    std::uint32_t steps_a_reduction = 20;   // number of steps between calls of MPI_Allreduce; 0: no calls
    MadePattern pattern = MadePattern::line;
    ClockProfile profile = ClockProfile::thermal;
    std::uint64_t seed = 7;
};

struct MadeTotals {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};
// Writes a trace with rounds of clock measurements at start and end. The folder `trace` must not exist yet.
Result<MadeTotals> make_run(const MadeRun& run, const std::string& trace);

} // namespace tactus
