// What a finished trace says of the same run without the tracer: each rank's times as they were measured and as they
// would have been. Times in seconds.
#pragma once

#include "trace/function.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

struct TimePair {
    double measured_s = 0;
    double compensated_s = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("measured_s", self.measured_s);
        field("compensated_s", self.compensated_s);
    }
};

// The sum of a function's calls, over the threads of a rank or over all ranks. Calls that other MPI calls make are left
// out: the outer call has their time.
struct CompensatedFunction {
    Function function{};
    TimePair time;
    static constexpr void fields(auto& self, auto&& field) {
        field("function", self.function);
        field("time", self.time);
    }
};

// Where the tracer seems to have taken more time than there was, none is left; such times are clamped, and counted.
struct CompensatedRank {
    std::uint32_t rank = 0;                     // in MPI_COMM_WORLD
    TimePair wall;                              // from the first enter of a call to the last leave
    TimePair mpi;                               // the sum over its threads
    std::vector<CompensatedFunction> functions; // in the order of their numbers
    std::uint64_t spans = 0;                    // calls, and the times between them
    std::uint64_t clamped = 0;                  // of these
    double clamped_s = 0;
    std::uint64_t messages = 0;    // received, that brought a delay
    std::uint64_t collectives = 0; // calls in which a delay was taken over
    std::uint64_t notes = 0;       // of delays that the threads themselves noted while the program ran
    std::uint64_t released = 0;    // events of all ranks that waited for each other in a circle
    // Identity of the clocks of all ranks that were played together, the same in all their rows.
    std::uint64_t run = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("rank", self.rank);
        field("wall", self.wall);
        field("mpi", self.mpi);
        field("functions", self.functions);
        field("spans", self.spans);
        field("clamped", self.clamped);
        field("clamped_s", self.clamped_s);
        field("messages", self.messages);
        field("collectives", self.collectives);
        field("notes", self.notes);
        field("released", self.released);
        field("run", self.run);
    }
};

} // namespace tactus
