#include "postproc/recover/recover.hpp"

#include "postproc/recover/recover_rank.hpp"
#include "trace/manifest.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace tactus {
namespace {

// The lock on a trace, held as long as the object lives. On a file system without locks it counts as taken.
class TraceLock {
  public:
    explicit TraceLock(const std::string& trace)
        : descriptor_{open(trace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)} {
        taken_ = descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    }
    ~TraceLock() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    TraceLock(const TraceLock&) = delete;
    TraceLock& operator=(const TraceLock&) = delete;
    [[nodiscard]] bool taken() const { return taken_; }

  private:
    int descriptor_;
    bool taken_ = false;
};

void add(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& values) {
    for (std::size_t i = 0; i < sums.size() && i < values.size(); ++i) sums[i] += values[i];
}

// Writes the manifest as rank 0 would have done it at the end of the run.
Outcome write_manifest_again(const Trace& trace) {
    Manifest manifest = manifest_of(trace.ranks.front().header());
    std::vector<std::uint64_t> lost(loss_count);
    for (const RankFile& rank : trace.ranks) {
        const auto& totals = rank.definitions().totals;
        if (!totals.empty()) {
            manifest.calls += totals.front().calls;
            manifest.records += totals.front().records;
            add(lost, totals.front().lost);
        }
        manifest.bytes += rank.size();
    }
    manifest.losses = named_losses(lost);
    return write_manifest(trace.path, manifest);
}

bool any_changed(const Recovery& recovery) {
    return std::any_of(recovery.ranks.begin(), recovery.ranks.end(), [](const auto& rank) { return !rank.was_whole; });
}

constexpr auto not_recovered = static_cast<std::size_t>(Loss::not_recovered);

// Reads the repaired trace once more, so that the result tells what every reader will see.
void finish(const std::string& path, Recovery& recovery) {
    const auto trace = Trace::open(path);
    if (!trace) {
        recovery.problems.push_back(trace.error());
        return;
    }
    recovery.problems = trace->problems;
    for (const RankFile& rank : trace->ranks)
        for (const Totals& totals : rank.definitions().totals)
            if (totals.lost.size() > not_recovered) recovery.missing += totals.lost[not_recovered];
    if (!trace->finished()) return;
    recovery.whole = true;
    const bool has_manifest = access(manifest_path(path).c_str(), F_OK) == 0;
    if (has_manifest && !any_changed(recovery)) return;
    if (auto written = write_manifest_again(*trace); !written) {
        recovery.problems.push_back(written.error());
        recovery.whole = false;
    }
}

} // namespace

Result<Recovery> recover_trace(const std::string& path, const RecoverSettings& settings) {
    const TraceLock lock{path}; // before anything is read: another recovery would change it
    if (!lock.taken()) return Error{.what = "another `tactus recover` is at work on it", .file = path};
    const auto trace = Trace::open(path);
    if (!trace) return trace.error();
    Backup backup{path};
    LaneSearch search{*trace};
    Recovery recovery;
    for (const RankFile& file : trace->ranks) recovery.ranks.push_back(recover_rank(file, search, backup, settings));
    if (backup.used()) recovery.kept = backup.folder();
    finish(path, recovery);
    return recovery;
}

} // namespace tactus
