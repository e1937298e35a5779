#include "postproc/recover/lane_folders.hpp"

#include "postproc/recover/lane_search.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace tactus {
namespace fs = std::filesystem;

namespace {

struct Found {
    LaneFolder folder;
    std::set<std::uint32_t> ranks;
};

bool is_lane_name(const std::string& name) { return name.starts_with("rank-") && name.ends_with(".lane"); }

void list_lanes(const fs::path& folder, std::map<std::pair<std::string, std::uint64_t>, Found>& found) {
    std::error_code failed;
    for (auto at = fs::directory_iterator{folder, failed}; at != fs::directory_iterator{}; at.increment(failed)) {
        if (!is_lane_name(at->path().filename())) continue;
        const auto lane = read_lane(at->path().string());
        if (!lane) continue;
        Found& job = found[{folder.string(), lane->job}];
        job.folder.path = folder.string();
        job.folder.job = lane->job;
        ++job.folder.lanes;
        job.ranks.insert(lane->rank);
        job.folder.bytes += fs::file_size(at->path(), failed);
        job.folder.alive = job.folder.alive || (exists(lane->pid) && uses(lane->pid, at->path().string()));
        if (!lane->trace.empty()) job.folder.trace = lane->trace;
        if (folder.filename() == "lanes" && fs::is_directory(folder.parent_path() / "ranks", failed))
            job.folder.trace = folder.parent_path();
    }
}

// The folders in and below `place` that may contain lane files themselves.
std::vector<fs::path> candidates(const fs::path& place) {
    std::vector<fs::path> all{place, place / "lanes"};
    std::error_code failed;
    for (auto at = fs::directory_iterator{place, failed}; at != fs::directory_iterator{}; at.increment(failed)) {
        const std::string name = at->path().filename();
        if (name.starts_with("tactus-")) all.push_back(at->path());
        if (name.ends_with(".tactus")) all.push_back(at->path() / "lanes");
    }
    return all;
}

} // namespace

std::vector<LaneFolder> find_lane_folders(const std::vector<std::string>& folders) {
    std::vector<fs::path> places{"/dev/shm", "/tmp"};
    places.insert(places.end(), folders.begin(), folders.end());
    std::set<fs::path> seen;
    std::map<std::pair<std::string, std::uint64_t>, Found> found;
    for (const fs::path& place : places)
        for (const fs::path& folder : candidates(place)) {
            std::error_code failed;
            const fs::path canonical = fs::canonical(folder, failed);
            if (!failed && seen.insert(canonical).second) list_lanes(canonical, found);
        }
    std::vector<LaneFolder> all;
    for (auto& [key, job] : found) {
        std::error_code failed;
        job.folder.ranks = job.ranks.size();
        job.folder.trace_exists = !job.folder.trace.empty() && fs::is_directory(job.folder.trace + "/ranks", failed);
        all.push_back(std::move(job.folder));
    }
    return all;
}

} // namespace tactus
