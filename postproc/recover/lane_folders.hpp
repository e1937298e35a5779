// Finds the folders on this host that contain lanes, of running jobs and of dead jobs that nobody recovered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct LaneFolder {
    std::string path;
    std::uint64_t job = 0;
    std::size_t lanes = 0;
    std::size_t ranks = 0; // ranks that the lanes belong to
    std::uint64_t bytes = 0;
    bool alive = false; // some process of the job still runs here
    std::string trace;  // the directory of the trace; empty when the processes died before it was known
    bool trace_exists = false;
};

// Searches /dev/shm, /tmp and the given folders: each folder itself, its `lanes`, and the tactus-* folders and traces
// in it. Gives one entry for each job and folder.
std::vector<LaneFolder> find_lane_folders(const std::vector<std::string>& folders);

} // namespace tactus
