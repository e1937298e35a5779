// Opening a trace directory: all its rank files, and what is wrong with them.
#include "trace/rank_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

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

} // namespace

Result<Trace> Trace::open(const std::string& path) {
    if (!exists(path)) return Error{.what = strerror(errno), .file = path, .advice = what_a_trace_is};
    if (!is_directory(path)) return Error{.what = "is not a directory", .file = path, .advice = what_a_trace_is};
    if (!is_directory(path + "/ranks"))
        return Error{.what = "is not a trace: it has no folder 'ranks'", .file = path, .advice = what_a_trace_is};
    Trace trace;
    trace.path = path;
    std::uint32_t expected = 1;
    std::optional<std::uint64_t> job;
    for (std::uint32_t rank = 0; rank < expected; ++rank) {
        const std::string name = path + "/" + rank_file_name(rank);
        auto file = RankFile::open(name);
        if (!file) {
            trace.problems.push_back(file.error());
            // Until one is readable nobody says how many there are; a missing or damaged rank 0 must not hide the
            // others.
            if (!job && exists(path + "/" + rank_file_name(rank + 1))) expected = rank + 2;
            continue;
        }
        if (!job) {
            job = file->header().job;
            expected = std::max(expected, file->header().ranks);
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
