// `tactus finish`: puts a trace on one clock, corrects it and finds its waits, at any time after the run.
#include "postproc/finish/finish.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/finish_processes.hpp"
#include "cli/kept_names.hpp"
#include "cli/manifest.hpp"
#include "cli/messages.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/nccl_text.hpp"
#include "clocksync/trace_clocks.hpp"
#include "postproc/finish/finish_options.hpp"
#include "postproc/finish/in_threads.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/nccl/clocks.hpp"
#include "postproc/parallel/share_work.hpp"
#include "postproc/profile/tracer_cost.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <unistd.h>

namespace tactus {
namespace {

// Shows what is being done, after the first second. On a terminal each line replaces the line before it.
class Progress {
  public:
    void tell(const char* what) const {
        if (std::chrono::steady_clock::now() - begin_ < std::chrono::seconds{1}) return;
        const bool terminal = isatty(STDERR_FILENO) == 1;
        fmt::print(stderr, "{}tactus: {} ...{}", terminal ? "\r\033[K" : "", what, terminal ? "" : "\n");
        shown_ = terminal;
    }
    ~Progress() {
        if (shown_) std::fputs("\r\033[K", stderr);
    }

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    mutable bool shown_ = false;
};

Error never_closed(const RankFile& file) {
    return {.what = "this rank's file was never closed: its process runs, or was killed",
            .file = file.path(),
            .advice = "`tactus recover` closes the files of dead processes; then finish it"};
}

Result<Trace> open_closed(const std::string& path) {
    auto trace = Trace::open(path);
    if (!trace) return trace.error();
    for (const RankFile& file : trace->ranks)
        if (file.definitions().totals.empty()) return never_closed(file);
    put_on_one_clock(*trace, {});
    return trace;
}

// A positive hash of the run and of the ranks whose files are there.
std::int64_t identity_of(const Trace& trace) {
    std::uint64_t hash = trace.ranks.front().header().job;
    for (const RankFile& file : trace.ranks) hash = (hash ^ (file.header().rank + 1)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::int64_t>(hash >> 2 | 1);
}

// Returns an exit status unless every process has the same, complete trace. No process may begin before that is known.
// What went wrong is printed once: by the first process, or by the processes that differ from it.
std::optional<int> refuse(const Result<Trace>& trace, const FinishProcesses& processes) {
    if (processes.alone()) return trace ? std::optional<int>{} : fail(trace.error());
    const std::int64_t mine = trace ? identity_of(*trace) : 0;
    std::vector<std::int64_t> of_all{mine, -mine, processes.first() ? mine : 0};
    processes.wire(1).find_most(of_all);
    const bool alike = of_all[0] == -of_all[1];
    if (alike && trace) return {};
    if (!trace && (processes.first() || of_all[2] > 0)) return fail(trace.error());
    if (processes.first()) return fail({.what = "not every process sees the same ranks of it", .file = trace->path});
    return exit_code::fault;
}

// All processes use the options of the first one.
FinishOptions options_of_first(const FinishProcesses& processes, bool quiet) {
    const Options options = Options::read(environ);
    if (processes.first() && !quiet)
        for (const std::string& complaint : options.complaints()) fmt::print(stderr, "tactus: {}\n", complaint);
    struct Wanted {
        std::uint32_t to = 0;
        FinishOptions options;
    };
    std::vector<Wanted> wanted{{0, finish_options(options)}};
    if (processes.alone()) return wanted[0].options;
    if (!processes.first()) wanted.clear();
    for (std::uint32_t i = 1; processes.first() && i < processes.count(); ++i) wanted.push_back({i, wanted[0].options});
    wanted = processes.wire(processes.count()).exchange(wanted); // Each process takes the part of one rank here.
    return wanted.empty() ? FinishOptions{} : wanted[0].options;
}

Finished finish_by_all(const Trace& trace, const FinishProcesses& processes, std::uint32_t threads,
                       const FinishOptions& options) {
    const Progress progress;
    const TellProgress tell = [&](const char* what) {
        if (processes.first()) progress.tell(what);
    };
    if (!processes.alone()) return finish(trace, processes.wire(trace.world_size()), options, tell);
    const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
    constexpr std::uint32_t enough = 8; // ranks for each thread; with fewer it mostly waits for other threads
    if (threads == 0) threads = std::clamp(std::thread::hardware_concurrency(), 1U, ranks / enough + 1);
    return finish_in_threads(trace, std::min(threads, ranks), options, tell);
}

// Without MPI, only the NCCL operations that ranks took part in together tell about their clocks. Every process finds
// the same result.
std::vector<NcclClock> clocks_by_nccl(const Trace& trace) {
    if (!lacks_other_clocks(trace)) return {};
    const NcclParts parts = read_nccl(trace);
    return nccl_clocks(trace, parts, match_nccl(parts));
}

// Appends the results to the rank files. Returns whether any file changed.
Result<bool> store(const Trace& trace, const Finished& finished, unsigned threads) {
    std::atomic<bool> changed = false;
    std::vector<Outcome> outcomes(finished.ranks.size(), Done{});
    share_work(finished.ranks.size(), threads, [&](std::size_t i) {
        const RankFile& file = trace.ranks[finished.ranks[i]];
        const auto news = news_for(file, finished, i, finished.ranks[i] == 0);
        const RankIndex index = index_for(file, finished, i);
        if (!news && index.blocks.empty()) return;
        changed = true;
        outcomes[i] = append_to(file, index.blocks, news.value_or(Definitions{}));
    });
    for (const Outcome& outcome : outcomes)
        if (!outcome) return outcome.error();
    return changed.load();
}

// Updates the number of bytes in the manifest, because the files are longer now. A manifest that is wrong in other
// things, too, stays as it is.
Outcome renew_manifest(const std::string& path) {
    auto manifest = read_manifest(path);
    if (!manifest) return manifest.error();
    const auto trace = Trace::open(path);
    if (!trace) return trace.error();
    const std::uint64_t bytes = volume_of(*trace).bytes;
    if (!*manifest || (*manifest)->bytes == bytes) return Done{};
    (*manifest)->bytes = bytes;
    if (!contradictions(**manifest, *trace).empty()) return Done{};
    return write_manifest(path, **manifest);
}

// Returns the maximum of each value over all processes: whether it is 1 in any of them.
std::vector<std::int64_t> any_of(std::vector<std::int64_t> mine, const FinishProcesses& processes) {
    if (!processes.alone()) processes.wire(1).find_most(mine);
    return mine;
}

} // namespace

int finish(const FinishRequest& request) {
    const auto processes = FinishProcesses::join(request.mpi);
    if (!processes) return fail(processes.error());
    const Result<Trace> trace = open_closed(request.trace);
    if (const auto refused = refuse(trace, *processes)) return *refused;
    FinishOptions wanted = options_of_first(*processes, request.quiet);
    constexpr std::size_t events_in_memory = std::size_t{128} << 20; // bytes in each process, approximately
    wanted.paging = paging_of_ranks(request.trace.c_str(), events_in_memory * processes->count(), trace->ranks.size());
    const std::vector<NcclClock> by_nccl = wanted.refine ? clocks_by_nccl(*trace) : std::vector<NcclClock>{};
    std::vector<ShiftMap> shifts;
    for (const NcclClock& clock : by_nccl) shifts.push_back(clock.shift);
    if (!shifts.empty()) wanted.shifts = &shifts;
    const Finished finished = finish_by_all(*trace, *processes, request.threads, wanted);
    if (!finished.done) {
        if (!finished.unreadable.empty()) tell(finished.unreadable);
        if (!processes->first()) return exit_code::fault;
        return fail({.what = "could not be finished, nothing was changed", .file = request.trace});
    }
    const unsigned threads = processes->alone() ? request.threads : 1;
    const Result<bool> stored = store(*trace, finished, threads);
    const std::vector<std::int64_t> any = any_of({!stored || *stored ? 1 : 0, stored ? 0 : 1}, *processes);
    if (!stored) return fail(stored.error());
    if (any[1] != 0) return exit_code::fault; // The process that failed prints the error.
    const Outcome renewed = processes->first() ? renew_manifest(trace->path) : Done{};
    if (processes->first()) {
        SourceLines lines{trace->path};
        keep_names(trace->path, make_profile(*trace, {}, threads), lines);
    }
    if (processes->first() && !request.quiet)
        fmt::print("{}{}", finish_text(request.trace, finished.quality, any[0] != 0), nccl_clocks_text(by_nccl));
    std::vector<Error> problems = finished.unreadable;
    if (!renewed) problems.push_back(renewed.error());
    if (processes->first()) problems.insert(problems.begin(), trace->problems.begin(), trace->problems.end());
    return tell(problems);
}

} // namespace tactus
