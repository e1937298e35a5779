#include "postproc/recover/lane_search.hpp"

#include "base/host.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

bool exists(std::uint64_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    if (name_end != std::string::npos && std::string_view{"ZX"}.find(text[name_end + 2]) != std::string_view::npos)
        return false; // it is dead, but its parent has not waited for it yet
    // EPERM: the process exists, although this one may not signal it.
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

bool is_locked(const std::string& file) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return false;
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const bool locked = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(descriptor);
    return locked;
}

bool runs_here(const Header& header) { return header.host == host_name() && header.boot_id == boot_id(); }

Liveness liveness_of(const Header& header) {
    if (header.host != host_name()) return Liveness::elsewhere;
    return header.boot_id == boot_id() && exists(header.pid) ? Liveness::alive : Liveness::dead;
}

LaneSearch::LaneSearch(const Trace& trace) : trace_{trace.path} {
    struct stat status {};
    if (!trace.ranks.empty() && stat(trace.ranks.front().path().c_str(), &status) == 0) owner_ = status.st_uid;
    std::set<std::string> named;
    for (const RankFile& rank : trace.ranks) {
        const Header& header = rank.header();
        named.insert(header.lane_directory);
        for (const OptionValue& option : header.options)
            if (option.name == "FLUSH_PREFIX" && option.value.starts_with('/'))
                named.insert(option.value + "/" + lane_folder_name(header.job));
    }
    named.erase("");
    named_.assign(named.begin(), named.end());
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

namespace {
// Anybody may put files of any name into /tmp and /dev/shm. A symbolic link belongs to nobody.
bool has_owner(const std::string& path, uid_t owner) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == owner;
}
} // namespace

// True when the lane names another trace that exists, too. Then this trace is probably a copy of it, and the lane
// belongs to the original.
bool LaneSearch::belongs_to_another(const LaneContents& lane) const {
    std::error_code failed;
    const fs::path here = fs::canonical(trace_, failed);
    const fs::path there = lane.trace.empty() ? here : fs::canonical(lane.trace, failed);
    return !failed && here != there && fs::is_directory(there / "ranks", failed);
}

void LaneSearch::take(const Files& files, const Header& header, bool in_trace, RankLanes& found) const {
    for (const std::string& path : files.lanes) {
        if (!has_owner(path, owner_)) continue;
        auto lane = read_lane(path);
        if (!lane) {
            found.unreadable.push_back(lane.error());
            continue;
        }
        if (lane->job != header.job || lane->rank != header.rank) continue;
        const bool known = std::any_of(found.lanes.begin(), found.lanes.end(), [&](const FoundLane& found_lane) {
            return found_lane.contents.lane == lane->lane;
        });
        if (known) continue; // this file is a copy of it
        if (!in_trace && belongs_to_another(*lane))
            found.foreign.push_back({.what = "belongs to " + lane->trace + ", of which this trace seems to be a copy",
                                     .file = path,
                                     .advice = "recover that one"});
        else
            found.lanes.push_back({path, std::move(*lane)});
    }
    if (!files.lanes.empty() && found.lanes.empty()) return; // the folder belongs to another job or trace
    found.drafts.insert(found.drafts.end(), files.drafts.begin(), files.drafts.end());
}

RankLanes LaneSearch::of(const Header& header) {
    RankLanes found;
    const std::string own = lane_folder_name(header.job);
    found.searched = {trace_ + "/lanes"};
    found.searched.insert(found.searched.end(), named_.begin(), named_.end());
    found.searched.insert(found.searched.end(), {"/dev/shm/" + own, "/tmp/" + own});
    std::vector<fs::path> seen; // a folder may be named twice in `searched`
    for (const std::string& folder : found.searched) {
        std::error_code failed;
        const fs::path canonical = fs::canonical(folder, failed);
        if (failed || std::find(seen.begin(), seen.end(), canonical) != seen.end()) continue;
        seen.push_back(canonical);
        const ByRank& lanes = listed(folder);
        const auto own_files = lanes.find(header.rank);
        if (own_files != lanes.end()) take(own_files->second, header, folder == trace_ + "/lanes", found);
    }
    std::sort(found.lanes.begin(), found.lanes.end(),
              [](const FoundLane& a, const FoundLane& b) { return a.contents.lane < b.contents.lane; });
    return found;
}

} // namespace tactus
