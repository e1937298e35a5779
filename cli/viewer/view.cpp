// `tactus view`: serves a page that shows traces, until Ctrl-C.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/viewer/view_answers.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "postproc/view/cache_file.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <thread>

namespace tactus {
namespace {

// Blocks SIGINT, SIGTERM and SIGHUP in every thread, and returns them so that the main thread can wait for them.
sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    return set;
}

Result<std::unique_ptr<ServedTrace>> open_served(const std::string& path) {
    auto trace = Trace::open(path);
    if (!trace) return trace.error();
    if (volume_of(*trace).records == 0)
        return Error{.what = "the trace has no records",
                     .file = path,
                     .advice = trace->finished() ? "" : "`tactus recover` brings in what lanes of killed ranks hold"};
    return std::make_unique<ServedTrace>(std::move(*trace));
}

} // namespace

int view_traces(const ViewTracesRequest& request) {
    if (request.picture.drawing) {
        if (request.traces.size() > 1) return misused("a picture in a file is of one trace");
        TimelineRequest picture = request.picture;
        picture.trace = request.traces.front();
        return timeline(picture);
    }
    mallopt(M_ARENA_MAX, 4); // Each arena keeps freed memory. With 16 arenas that was more than the memory in use.
    const sigset_t ending = ending_signals();
    std::signal(SIGPIPE, SIG_IGN); // raised when a browser closes its connection
    ServedTraces traces;
    std::vector<Error> problems;
    for (const std::string& path : request.traces) {
        auto trace = open_served(path);
        if (!trace) return fail(trace.error());
        const auto& own = (*trace)->corrected().trace.problems;
        problems.insert(problems.end(), own.begin(), own.end());
        traces.push_back(std::move(*trace));
    }
    const int status = tell(problems);
    PageServer server;
    give_answers(server, traces);
    const Outcome listening = server.listen(request.port);
    if (!listening) return fail(listening.error());
    fmt::print("{}\n", server.address());
    fmt::print(stderr,
               "tactus: open this address in a browser; Ctrl-C ends it. From another machine: "
               "ssh -L {0}:127.0.0.1:{0} {1}\n",
               server.port(), "THIS_MACHINE");
    std::fflush(stdout);
    std::thread serving{[&] { server.serve(); }};
    int signal = 0;
    sigwait(&ending, &signal);
    server.stop();
    serving.join();
    const bool busy = std::any_of(traces.begin(), traces.end(), [](const auto& trace) { return trace->is_busy(); });
    if (!busy) return status;
    for (const auto& trace : traces) BlocksWriter::remove_unfinished(trace->corrected().trace.path + "/cache");
    std::_Exit(status); // The gathering threads cannot be stopped, and nobody waits for their results.
}

} // namespace tactus
