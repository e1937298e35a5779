// The folders on this host that hold lanes: of running jobs, and of dead ones that nobody recovered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct LaneFolder {
    std::string path;
    std::uint64_t job = 0;
    std::size_t lanes = 0;
    std::size_t ranks = 0; // that they belong to
    std::uint64_t bytes = 0;
    bool alive = false; // some process of theirs still runs here
    std::string trace;  // the directory they belong to; empty when they died before that was known
    bool trace_exists = false;
};

// In /dev/shm, /tmp and the folders given (each itself, what lies in it, and the traces in it); one entry a job and
// folder.
std::vector<LaneFolder> find_lane_folders(const std::vector<std::string>& folders);

} // namespace tactus
