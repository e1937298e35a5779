// A run's times with and without the tracer, side by side: of all, by rank and by function. Where the tracer seems to
// have taken more time than there was, none is left; such times are clamped, and counted.
#pragma once

#include "postproc/compensate/compensate.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tactus {

struct TimePair {
    double measured_s = 0;
    double compensated_s = 0;
};

struct CompensatedRank {
    std::uint32_t rank = 0;
    TimePair wall; // from the first enter to the last leave
    TimePair mpi;  // over its threads
};

struct CompensatedFunction {
    Function function{};
    TimePair time;
};

struct CompensatedRun {
    std::vector<CompensatedRank> ranks;         // in rank order
    std::vector<CompensatedFunction> functions; // most measured time first
    TimePair wall;                              // of the rank that took longest, each
    TimePair mpi;                               // the sum of all ranks
    std::uint64_t spans = 0;                    // calls, and the times between them
    std::uint64_t clamped = 0;
    double clamped_s = 0;
    Compensation facts;
};

// Of a trace whose messages carried delays: the receives by how their threads found out what they changed.
using ReceivesByBasis = std::array<std::uint64_t, delay_bases>;
ReceivesByBasis receives_by_basis(const Trace& trace);

CompensatedRun compensated_run(const Trace& trace, DelaySource source);

} // namespace tactus
