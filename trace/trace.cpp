// Opens a trace directory with all its rank files, and finds out what is wrong with them.
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

constexpr std::size_t most_open_files = 256; // a process may have as few as 1,024

constexpr const char* what_a_trace_is = "give the directory NAME.tactus that `tactus run` named at its end";

bool is_folder_name(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The ranks that have a file. The folders are listed instead of trying each rank, since a damaged header may claim any
// number of ranks. The listing goes two levels deep and no deeper, wherever links lead.
class Listing {
  public:
    explicit Listing(const std::string& trace, std::vector<Error>& problems) : trace_{trace}, problems_{problems} {
        for (const std::string& folder : names_in(trace + "/ranks"))
            if (is_folder_name(folder)) list(folder);
        std::sort(ranks_.begin(), ranks_.end());
    }
    [[nodiscard]] const std::vector<std::uint32_t>& ranks() const { return ranks_; }

  private:
    void list(const std::string& folder) {
        for (const std::string& name : names_in(trace_ + "/ranks/" + folder)) {
            std::uint32_t rank = 0;
            const bool named = std::sscanf(name.c_str(), "rank-%u.trace", &rank) == 1;
            if (named && "ranks/" + folder + "/" + name == rank_file_name(rank))
                ranks_.push_back(rank);
            else if (name.rfind("rank-", 0) == 0 && name.size() > 6 && name.rfind(".trace") == name.size() - 6)
                keep_error(problems_, {.what = "is no name of a rank's file in this folder, and was left out",
                                       .file = trace_ + "/ranks/" + folder + "/" + name,
                                       .advice = "ranks/000/rank-000042.trace is one"});
        }
    }
    std::vector<std::string> names_in(const std::string& folder) {
        std::vector<std::string> names;
        std::error_code failed;
        for (auto at = fs::directory_iterator{folder, failed}; !failed && at != fs::directory_iterator{};
             at.increment(failed))
            names.push_back(at->path().filename());
        if (failed) keep_error(problems_, {.what = "cannot be listed: " + failed.message(), .file = folder});
        std::sort(names.begin(), names.end());
        return names;
    }

    const std::string& trace_;
    std::vector<Error>& problems_;
    std::vector<std::uint32_t> ranks_;
};

Error missing_ranks(const std::string& path, const std::vector<std::uint32_t>& present, std::uint64_t expected) {
    std::uint32_t first = 0;
    while (first < present.size() && present[first] == first) ++first;
    return Error{.what = std::to_string(expected - present.size()) + " of " + std::to_string(expected) +
                         " rank files are missing, this one first",
                 .file = path + "/" + rank_file_name(first),
                 .advice = "copy the whole directory"};
}

Error cut_off(const RankFile& file, const std::string& name) {
    return {.what = "ends without an index: the process still runs or was killed, or the file was cut; what had been "
                    "written is shown",
            .file = name,
            .offset = file.size(),
            .advice = "`tactus recover` brings in the rest of a dead process"};
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
    const Listing listing{path, trace.problems};
    const std::vector<std::uint32_t>& present = listing.ranks();
    for (const std::uint32_t rank : present) {
        const std::string name = path + "/" + rank_file_name(rank);
        auto file = RankFile::open(name);
        if (!file) {
            trace.problems.push_back(file.error());
            continue;
        }
        if (!job) job = file->header().job;
        if (file->header().job != *job || file->header().rank != rank) {
            trace.problems.push_back(Error{.what = "this file belongs to another run or rank and was left out",
                                           .file = name,
                                           .advice = "remove it, or put the file of this run back"});
            continue;
        }
        expected = std::max<std::uint64_t>(expected, file->header().ranks); // without MPI it counts the earlier ranks
        for (const Error& damage : file->damage()) trace.problems.push_back(damage);
        if (!file->closed()) trace.problems.push_back(cut_off(*file, name));
        if (present.size() > most_open_files) file->set_aside();
        trace.ranks.push_back(std::move(*file));
    }
    if (present.size() < expected) trace.problems.push_back(missing_ranks(path, present, expected));
    if (present.empty() && trace.problems.empty())
        return Error{.what = "has no rank file", .file = path, .advice = what_a_trace_is};
    if (trace.ranks.empty()) return trace.problems.front();
    trace.take_clocks();
    return trace;
}

// Takes the stored clocks of all ranks or of none: half of the ranks by their dates and half by measurements would be
// worse than either.
void Trace::take_clocks() {
    const bool all =
        std::all_of(ranks.begin(), ranks.end(), [](const RankFile& rank) { return rank.stored_clock() != nullptr; });
    for (RankFile& rank : ranks)
        rank.set_clock(
            all ? rank.stored_clocks()
                : ProcessClock{.fitted = rank.clock_by_date(origin_realtime_ns()), .refined = {}, .corrected = {}});
    settle_zero();
}

void Trace::settle_zero() {
    zero = ranks.front().clock().at(ranks.front().header().start.tick);
    for (const RankFile& rank : ranks) zero = std::min(zero, rank.clock().at(rank.header().start.tick));
}

std::uint32_t Trace::world_size() const {
    std::uint32_t size = 1;
    for (const RankFile& file : ranks)
        size = std::max({size, file.header().ranks, file.header().rank == UINT32_MAX ? 0 : file.header().rank + 1});
    return size;
}

std::int64_t Trace::first_realtime_ns() const {
    std::int64_t origin = ranks.front().header().start.realtime_ns;
    for (const RankFile& rank : ranks) origin = std::min(origin, rank.header().start.realtime_ns);
    return origin;
}

bool Trace::finished() const {
    return std::all_of(ranks.begin(), ranks.end(),
                       [this](const RankFile& rank) { return rank.closed() && rank.header().ranks <= ranks.size(); });
}

} // namespace tactus
