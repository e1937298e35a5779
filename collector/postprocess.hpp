// Finishes the trace in MPI_Finalize, while all ranks are together: each rank plays its own file. Nothing here may harm
// the run. When a step takes too long or memory is short, the trace stays as it is, for `tactus finish`.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/options/options.hpp"
#include "trace/definitions.hpp"
#include "writer/rank_writer.hpp"

#include <cstdint>
#include <string>

namespace tactus {

struct Postprocessing {
    const Options& options;
    const Header& header;
    const std::string& directory; // of the trace
    MPI_Comm comm;                // of all ranks
    std::int64_t origin_realtime_ns;
    RankWriter& writer; // its file is closed
};
// Called by all ranks together. `able` says that this rank has a file, with `records` records. The others should be
// here by `come_by_ns` (CLOCK_MONOTONIC). Returns false when they did not come or the wire broke.
bool postprocess(const Postprocessing& work, bool able, std::uint64_t records, std::int64_t come_by_ns);

} // namespace tactus
