// Opening a trace directory: all its rank files, and what is wrong with them.
#include "trace/rank_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace tactus {
namespace {

bool is_directory(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool exists(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

constexpr const char* what_a_trace_is = "give the directory NAME.tactus that `tactus run` named at its end";

// The ranks that have a file, in order. Listed, not asked for one by one: a damaged header may claim any number of
// them.
std::vector<std::uint32_t> ranks_present(const std::string& path) {
    std::vector<std::uint32_t> ranks;
    std::error_code none;
    for (auto at = fs::recursive_directory_iterator{path + "/ranks", none}; at != fs::end(at); at.increment(none)) {
        std::uint32_t rank = 0;
        const std::string name = at->path().filename();
        if (std::sscanf(name.c_str(), "rank-%u.trace", &rank) == 1 && at->path() == path + "/" + rank_file_name(rank))
            ranks.push_back(rank);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

Error missing_ranks(const std::string& path, const std::vector<std::uint32_t>& present, std::uint64_t expected) {
    std::uint32_t first = 0;
    while (first < present.size() && present[first] == first) ++first;
    return Error{.what = std::to_string(expected - present.size()) + " of " + std::to_string(expected) +
                         " rank files are missing, this one first",
                 .file = path + "/" + rank_file_name(first),
                 .advice = "copy the whole directory"};
}

} // namespace

Result<Trace> Trace::open(const std::string& path) {
    if (!exists(path)) return Error{.what = strerror(errno), .file = path, .advice = what_a_trace_is};
    if (!is_directory(path)) return Error{.what = "is not a directory", .file = path, .advice = what_a_trace_is};
    if (!is_directory(path + "/ranks"))
        return Error{.what = "is not a trace: it has no folder 'ranks'", .file = path, .advice = what_a_trace_is};
    Trace trace;
    trace.path = path;
    std::optional<std::uint64_t> job;
    std::uint64_t expected = 0;
    const std::vector<std::uint32_t> present = ranks_present(path);
    for (const std::uint32_t rank : present) {
        const std::string name = path + "/" + rank_file_name(rank);
        auto file = RankFile::open(name);
        if (!file) {
            trace.problems.push_back(file.error());
            continue;
        }
        if (!job) {
            job = file->header().job;
            expected = file->header().ranks;
        }
        if (file->header().job != *job || file->header().rank != rank) {
            trace.problems.push_back(Error{.what = "this file belongs to another run or rank and was left out",
                                           .file = name,
                                           .advice = "remove it, or put the file of this run back"});
            continue;
        }
        for (const Error& damage : file->damage()) trace.problems.push_back(damage);
        if (!file->closed())
            trace.problems.push_back(
                Error{.what = "ends without an index: the process ended before MPI_Finalize or was killed, or "
                              "the file was cut; what had been written is shown",
                      .file = name,
                      .offset = file->size()});
        trace.ranks.push_back(std::move(*file));
    }
    if (present.size() < expected) trace.problems.push_back(missing_ranks(path, present, expected));
    if (present.empty()) return Error{.what = "has no rank file", .file = path, .advice = what_a_trace_is};
    if (trace.ranks.empty()) return trace.problems.front();
    return trace;
}

std::int64_t Trace::origin_realtime_ns() const {
    std::int64_t origin = ranks.front().header().start.realtime_ns;
    for (const RankFile& rank : ranks) origin = std::min(origin, rank.header().start.realtime_ns);
    return origin;
}

bool Trace::finished() const {
    return std::all_of(ranks.begin(), ranks.end(), [](const RankFile& rank) { return rank.closed(); }) &&
           ranks.size() == ranks.front().header().ranks;
}

} // namespace tactus
