#include "trace/lane_file.hpp"

#include <cstdio>

namespace tactus {

std::string lane_file_name(std::uint32_t rank, std::uint32_t lane) {
    char name[64];
    std::snprintf(name, sizeof name, "rank-%06u-lane-%04u.lane", rank, lane);
    return name;
}

std::string lane_folder_name(std::uint64_t job) { return "tactus-" + std::to_string(job); }

} // namespace tactus
