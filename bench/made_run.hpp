// Simulated runs as traces: ranks that compute and exchange messages, by clocks that are wrong in a known way. Written
// while it is simulated, a step of all ranks at a time; memory does not grow with the length of the run.
#pragma once

#include "base/result.hpp"
#include "bench/made_clock.hpp"

#include <string>

namespace tactus {

enum class MadePattern : std::uint8_t {
    line, // MPI_Irecv, MPI_Isend and MPI_Waitall with two neighbors on a ring
    grid, // with four, on a torus
    ring, // MPI_Send to the next, MPI_Recv from the one before
};
std::optional<MadePattern> made_pattern(std::string_view name);

struct MadeRun {
    std::uint32_t ranks = 8;
    std::uint32_t ranks_a_host = 1;
    std::uint64_t records_a_rank = 100'000; // about
    double seconds = 20;                    // about; not shorter than the messages need
    double idle_seconds = 0.02;             // between each round of clock measurements and the messages
    std::uint32_t steps_a_reduction = 20;   // an MPI_Allreduce every so many; 0: none
    MadePattern pattern = MadePattern::line;
    ClockProfile profile = ClockProfile::thermal;
    std::uint64_t seed = 7;
};

struct MadeTotals {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};
// `trace` does not exist yet. Clocks are measured at start and end.
Result<MadeTotals> make_run(const MadeRun& run, const std::string& trace);

} // namespace tactus
