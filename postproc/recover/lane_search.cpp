#include "postproc/recover/lane_search.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string boot_id() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string id;
    std::getline(file, id);
    return id;
}

} // namespace

bool exists(std::uint64_t pid) {
    // Without the permission to signal it, it still exists.
    return pid > 0 && (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

bool uses(std::uint64_t pid, const std::string& file) {
    const std::string process = "/proc/" + std::to_string(pid);
    struct stat wanted {};
    std::error_code failed;
    auto descriptor = fs::directory_iterator{process + "/fd", failed};
    std::ifstream maps{process + "/maps"};
    if (stat(file.c_str(), &wanted) != 0 || failed || !maps) return exists(pid);
    for (; descriptor != fs::directory_iterator{}; descriptor.increment(failed)) {
        struct stat status {};
        if (stat(descriptor->path().c_str(), &status) == 0 && status.st_dev == wanted.st_dev &&
            status.st_ino == wanted.st_ino)
            return true;
    }
    const std::string inode = " " + std::to_string(wanted.st_ino) + " ";
    const std::string name = fs::path{file}.filename();
    for (std::string line; std::getline(maps, line);)
        if (line.find(inode) != std::string::npos && line.find(name) != std::string::npos) return true;
    return false;
}

bool runs_here(const Header& header) { return header.host == host_name() && header.boot_id == boot_id(); }

ProcessState process_state(const Header& header) {
    if (header.host != host_name()) return ProcessState::elsewhere;
    return header.boot_id == boot_id() && exists(header.pid) ? ProcessState::alive : ProcessState::dead;
}

const LaneSearch::ByRank& LaneSearch::listed(const std::string& folder) {
    const auto [entry, fresh] = folders_.try_emplace(folder);
    if (!fresh) return entry->second;
    std::error_code failed;
    for (auto at = fs::directory_iterator{folder, failed}; at != fs::directory_iterator{}; at.increment(failed)) {
        const std::string name = at->path().filename().string();
        unsigned rank = 0;
        unsigned lane = 0;
        if (std::sscanf(name.c_str(), "rank-%u-lane-%u", &rank, &lane) != 2) continue;
        if (name == lane_file_name(rank, lane)) entry->second[rank].lanes.push_back(at->path().string());
        if (name == lane_file_name(rank, lane) + lane_draft_ending)
            entry->second[rank].drafts.push_back(at->path().string());
    }
    return entry->second;
}

RankLanes LaneSearch::of(const Header& header) {
    RankLanes found;
    const std::string own = lane_folder_name(header.job);
    found.searched = {trace_ + "/lanes", "/dev/shm/" + own, "/tmp/" + own};
    if (!header.lane_directory.empty()) found.searched.insert(found.searched.begin(), header.lane_directory);
    std::vector<fs::path> seen; // one folder by two names
    for (const std::string& folder : found.searched) {
        std::error_code failed;
        const fs::path canonical = fs::canonical(folder, failed);
        if (failed || std::find(seen.begin(), seen.end(), canonical) != seen.end()) continue;
        seen.push_back(canonical);
        const ByRank& lanes = listed(folder);
        const auto own_files = lanes.find(header.rank);
        if (own_files == lanes.end()) continue;
        if (folder.ends_with(own) || folder == trace_ + "/lanes") {
            const auto& drafts = own_files->second.drafts;
            found.drafts.insert(found.drafts.end(), drafts.begin(), drafts.end());
        }
        for (const std::string& path : own_files->second.lanes) {
            auto lane = read_lane(path);
            if (!lane)
                found.unreadable.push_back(lane.error());
            else if (lane->job == header.job && lane->rank == header.rank)
                found.lanes.push_back({path, std::move(*lane)});
        }
    }
    std::sort(found.lanes.begin(), found.lanes.end(),
              [](const FoundLane& a, const FoundLane& b) { return a.contents.lane < b.contents.lane; });
    return found;
}

} // namespace tactus
