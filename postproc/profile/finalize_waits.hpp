// How long MPI_Finalize lasts. The trace of a rank ends when its own MPI_Finalize begins its work, but the rank waits
// there until the last rank has come. The clocks tell when that was.
#pragma once

#include "trace/rank_file.hpp"

#include <vector>

namespace tactus {

struct FinalizeWait {
    Function function = Function::Finalize; // end_of_run()
    std::uint64_t place = 0;                // of the call
    Ticks begin = 0;                        // where the record of MPI_Finalize ends
    Ticks end = 0;                          // where the last rank came to it, by this rank's clock; not before `begin`
};

// One for each rank of the trace. None when the trace is not finished, or a rank did not come to MPI_Finalize: then
// nobody waited there for all. Reads the last block of each lane.
std::vector<FinalizeWait> finalize_waits(const Trace& trace);

} // namespace tactus
