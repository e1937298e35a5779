#include "cli/find_traces.hpp"

#include "trace/rank_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace tactus {
namespace fs = std::filesystem;

namespace {

// Asks the first rank file that can be opened, since the file of rank 0 may be missing.
bool is_of_run(const fs::path& trace, const std::string& token) {
    std::error_code failed;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{trace / "ranks" / "000", failed}) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) {
        const auto file = RankFile::open(path.string());
        if (file) return file->header().run == token;
    }
    return false;
}

} // namespace

std::vector<std::string> find_traces(const fs::path& folder, const std::string& token) {
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator{folder, failed}) {
        std::error_code gone; // Another job may remove its trace at any time.
        if (entry.path().extension() != ".tactus" || !entry.is_directory(gone)) continue;
        const auto written = fs::last_write_time(entry.path(), gone);
        if (!gone) found.emplace_back(written, entry.path().string());
    }
    std::sort(found.begin(), found.end(), std::greater<>{});
    std::vector<std::string> traces;
    for (const auto& [written, path] : found)
        if (is_of_run(path, token)) traces.push_back(path);
    return traces;
}

std::string new_run_token() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device() & 0xffffffffU, device() & 0xffffffffU);
}

} // namespace tactus
