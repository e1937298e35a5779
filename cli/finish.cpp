// `tactus finish`: brings a trace in order, any time after its run.
#include "postproc/finish/finish.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/finish_text.hpp"
#include "cli/messages.hpp"
#include "clocksync/trace_clocks.hpp"
#include "postproc/finish/finish_options.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/replay/wire.hpp"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace tactus {
namespace {

// From the second second on, one line that is written over where somebody looks at it.
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

} // namespace

int finish(const FinishRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    std::vector<Error> problems = trace->problems;
    for (const RankFile& file : trace->ranks)
        if (file.definitions().totals.empty()) {
            tell(problems);
            return fail({.what = "this rank's file was never closed: its process runs, or was killed",
                         .file = file.path(),
                         .advice = "`tactus recover` closes the files of dead processes; then finish it"});
        }
    const Options options = Options::read(environ);
    for (const std::string& complaint : options.complaints()) fmt::print(stderr, "tactus: {}\n", complaint);
    put_on_one_clock(*trace, {});
    LonelyWire wire;
    const Progress progress;
    const Finished finished =
        finish(*trace, wire, finish_options(options), [&](const char* what) { progress.tell(what); });
    problems.insert(problems.end(), finished.unreadable.begin(), finished.unreadable.end());
    bool changed = false;
    for (std::size_t i = 0; i < finished.ranks.size(); ++i) {
        const RankFile& file = trace->ranks[finished.ranks[i]];
        const ClockQuality* const quality = finished.ranks[i] == 0 ? &finished.quality : nullptr;
        const auto news = news_for(file, finished.clocks[i], quality);
        if (!news) continue;
        changed = true;
        if (const Outcome done = append_to(file, *news); !done) return fail(done.error());
    }
    fmt::print("{}", finish_text(request.trace, finished.quality, changed));
    return tell(problems);
}

} // namespace tactus
