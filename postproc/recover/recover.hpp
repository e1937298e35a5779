// Repairs a trace whose ranks did not close their files: appends what their lanes still hold, closes the files
// properly, and moves the lanes into the trace. TRACE/before-recover keeps what is changed: the lanes, and what was cut
// off the end of each rank file. A recovery may be interrupted and repeated. Offline; a lock admits one process at a
// time.
#pragma once

#include "postproc/recover/lane_search.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct RankRecovery {
    std::uint32_t rank = 0;
    bool was_whole = false;      // there was nothing to do
    bool is_whole = false;       // its file is closed properly now
    std::uint64_t calls = 0;     // calls added from the lanes, including open ones
    std::uint64_t records = 0;   // records added from the lanes
    std::vector<Record> open;    // calls that had not returned
    std::size_t lanes = 0;       // lanes found
    std::uint64_t missing = 0;   // blocks and lanes that are missing
    std::uint64_t cut_bytes = 0; // bytes of an incomplete block cut off the end of the file
    std::vector<Error> problems;
};

struct Recovery {
    std::vector<RankRecovery> ranks;
    std::vector<Error> problems; // of the whole trace, such as ranks without a file
    std::uint64_t missing = 0;   // missing blocks and lanes, counted by this recovery and earlier ones
    bool whole = false;          // every rank has a file that is closed properly, and the manifest is written
    std::string kept;            // the folder that keeps what was changed; empty: nothing was
};

struct RecoverSettings {
    bool other_hosts = false; // also recover ranks of other hosts, because the user knows that they are dead
};

// Returns an error only when nothing can be done at all: the trace cannot be opened, or another recovery is at work.
// Problems of single ranks are in the result.
Result<Recovery> recover_trace(const std::string& path, const RecoverSettings& settings);

} // namespace tactus
