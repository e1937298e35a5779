// The trace is born finished: in MPI_Finalize, with all ranks together, each plays its own file. Nothing here may harm
// the run: whatever does not come in time, or has no memory, leaves the trace as it is, for `tactus finish`.
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
// All ranks together. `able`: this rank has a file, of so many records; `come_by_ns`: when the others should be here.
// False: the others did not come, or the wire broke.
bool postprocess(const Postprocessing& work, bool able, std::uint64_t records, std::int64_t come_by_ns);

} // namespace tactus
