// Repairing a trace whose ranks did not close their files: what their lanes still hold is appended, the files are
// closed in order, and the lanes move into the trace. What is changed is kept in TRACE/before-recover: the lanes, and
// of each rank file what was cut off its end. May be interrupted and repeated. Offline, one process at a time (a lock
// sees to it).
#pragma once

#include "postproc/recover/lane_search.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct RankRecovery {
    std::uint32_t rank = 0;
    bool was_whole = false;      // nothing was to be done
    bool is_whole = false;       // its file is closed in order now
    std::uint64_t calls = 0;     // brought in from the lanes, open ones among them
    std::uint64_t records = 0;   // the same
    std::vector<Record> open;    // calls that had not returned
    std::size_t lanes = 0;       // found
    std::uint64_t missing = 0;   // blocks and lanes that are not there
    std::uint64_t cut_bytes = 0; // of half a block at the end of the file
    std::vector<Error> problems;
};

struct Recovery {
    std::vector<RankRecovery> ranks;
    std::vector<Error> problems; // of the trace: ranks without a file, another recovery at work
    std::uint64_t missing = 0;   // blocks and lanes, of this recovery and earlier ones
    bool whole = false;          // every rank is here and closed in order, and the manifest is written
    std::string kept;            // where what was changed is kept; empty when nothing was
};

struct RecoverSettings {
    bool other_hosts = false; // also ranks of other hosts: the user knows that they are dead
};

// An error when nothing can be done at all.
Result<Recovery> recover_trace(const std::string& path, const RecoverSettings& settings);

} // namespace tactus
