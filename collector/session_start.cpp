// MPI_Init and what follows it: all ranks agree on a trace, each opens its file, lanes move to where they survive.
#include "base/host.hpp"
#include "base/locked.hpp"
#include "base/log.hpp"
#include "base/options/launched_by.hpp"
#include "base/version.hpp"
#include "collector/call.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "collector/signals.hpp"
#include "collector/vt/run.hpp"
#include "collector/wrapping.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/policy.hpp"
#include "writer/trace_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace tactus {

namespace {
// The others may need our core to get where we wait for them.
void give_way(int round) {
    constexpr int eager_rounds = 1000;
    const timespec pause{0, 100'000};
    if (round < eager_rounds)
        sched_yield();
    else
        nanosleep(&pause, nullptr);
}
} // namespace

bool complete_by(MPI_Request& request, std::int64_t deadline_ns) {
    for (int round = 0;; ++round) {
        int done = 0;
        if (pmpi.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) return true;
        if (monotonic_ns() > deadline_ns) return false;
        give_way(round);
    }
}

namespace {

// What rank 0 tells the others: where the trace is, or why there is none.
struct Agreement {
    std::uint64_t job = 0;
    SyncSettings sync;
    char directory[4096] = {};
};

[[noreturn]] void give_up_waiting(int rank, int ranks, double seconds) {
    sayf("rank %d waited %.0f s in MPI_Init for the collector of all %d ranks: some rank runs without it. Preload "
         "every part of "
         "the job (`tactus run` does), or raise VT_INIT_TIMEOUT if it is only slow. The job is ended.",
         rank, seconds, ranks);
    pmpi.Abort(handle.COMM_WORLD, 1);
    _exit(1);
}

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int size = 0;
    pmpi.Get_library_version(text, &size);
    std::string line; // the first, up to its first comma, blanks as one
    for (const char* c = text; *c != '\0' && *c != '\n' && *c != ','; ++c) {
        const bool blank = *c == ' ' || *c == '\t';
        if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : *c;
    }
    return line;
}

} // namespace

// The first message of ours: without the collector on every rank it never completes, so it is non-blocking with a
// deadline. Its partners then know each other, and everything later may trust that.
void Session::start() {
    // Never unasked: Open MPI counts from the first call.
    if (chosen_timer() == Timer::mpi_wtime || options.lists_timers()) use_wtime([] { return pmpi.Wtime(); });
    const Ticks begin = now();
    int rank = 0;
    int ranks = 1;
    pmpi.Comm_rank(handle.COMM_WORLD, &rank);
    pmpi.Comm_size(handle.COMM_WORLD, &ranks);
    header.rank = static_cast<std::uint32_t>(rank);
    header.ranks = static_cast<std::uint32_t>(ranks);
    const std::int64_t patience = options.nanoseconds(Option::init_timeout);
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Comm_idup(handle.COMM_WORLD, &comm, &request) != MPI_SUCCESS ||
        !complete_by(request, monotonic_ns() + patience))
        give_up_waiting(rank, ranks, 1e-9 * static_cast<double>(patience));
    pmpi.Comm_set_errhandler(comm, handle.ERRORS_RETURN);
    int level = MPI_THREAD_SINGLE;
    pmpi.Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE && !has_mpi_session) { // which may have threads of its own
        requests.use_lock(false);
        messages.use_lock(false);
    }
    if (rank == 0)
        for (const std::string& complaint : options.complaints()) say(complaint);
    if (rank == 0 && options.lists_timers()) list_timers();
    if (const std::uint32_t said = rank_by_launcher().value_or(0);
        !header.test_clock.function.empty() && said != header.rank)
        sayf("VT_TEST_CLOCK: rank %d was taken for rank %u, as its launcher said", rank, said);
    datatypes.learn_predefined();
    comms.start();
    select_by_process(header.rank, header.ranks);
    if (agree_on_trace()) {
        watch_finalize();
        if (!agree_on_piggyback_policy(options, monotonic_ns() + patience))
            give_up_waiting(rank, ranks, 1e-9 * static_cast<double>(patience));
        const bool opened = open_trace();
        if (!opened) stop_recording();
        clocks.start(sync_settings_, header, opened);
        if (opened || piggyback_policy.on) measure_call_costs();
    } else {
        stop_recording();
    }
    starting_ = now() - begin;
    begin_delays(starting_);
}

bool Session::agree_on_trace() {
    static Agreement agreement; // the MPI may write to it as long as it likes
    const TraceName name = trace_name(options);
    header.program = name.program;
    if (header.rank == 0) {
        agreement.job = random_number();
        agreement.sync = sync_settings(options, header.start);
        auto made = make_trace_directory(name, header.ranks);
        if (made)
            std::strncpy(agreement.directory, made->c_str(), sizeof agreement.directory - 1);
        else
            say(made.error().line() + "; the program runs untraced");
    }
    const std::int64_t patience = options.nanoseconds(Option::init_timeout);
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Ibcast(&agreement, sizeof agreement, handle.BYTE, 0, comm, &request) != MPI_SUCCESS ||
        !complete_by(request, monotonic_ns() + patience))
        give_up_waiting(static_cast<int>(header.rank), static_cast<int>(header.ranks),
                        1e-9 * static_cast<double>(patience));
    directory = agreement.directory;
    header.job = agreement.job;
    sync_settings_ = agreement.sync;
    return !directory.empty();
}

bool Session::open_trace() {
    header.host = host_name();
    header.boot_id = boot_id();
    if (!test_host().empty()) header.host = header.boot_id = test_host();
    header.pid = static_cast<std::uint64_t>(getpid());
    header.mpi = library_version();
    header.tactus = version();
    const char* run = std::getenv("VT_TACTUS_RUN");
    header.run = run != nullptr ? run : "";
    header.timer = chosen_timer();
    header.timer_resolution = timer_resolution();
    header.options = options.all();
    header.schema = schema();
    header.overhead_ps_per_call = measure_overhead_ps();
    {
        const Locked hold{lanes_lock_};
        for (Life& life : lanes_) life.lane->set_job(header.job, header.rank, directory);
    }
    const std::string& wanted = options.text(Option::flush_prefix);
    lane_places_ = places_for_lanes(wanted.empty() ? wanted : absolute(wanted), directory, header.job);
    if (thread.lane == nullptr || !protect(*thread.lane)) losses.add(Loss::lane_unprotected);

    Definitions first;
    first.comms = comms.definitions(); // the predefined ones; whatever is made later is in the records
    first.datatypes = datatypes.definitions();
    module_changes_ = module_changes();
    first.modules = modules_ = calling_modules();
    first.anchors.push_back(read_anchor()); // with the header's, the timer's rate, should the file never be closed
    const std::string path = directory + "/" + rank_file_name(header.rank);
    if (auto opened = open_where_seen_late(path, first); !opened) {
        say(opened.error().line() + "; this rank is not recorded, the program runs on");
        remove_lane_files();
        return false;
    }
    writer.start_thread(run_errands);
    if (const std::string complaint = watch_signals(options.text(Option::flush_signal));
        !complaint.empty() && header.rank == 0)
        say(complaint);
    const Locked hold{lanes_lock_};
    started_ = true;
    if (options.on(Option::verbose) && header.rank == 0) say("tracing into " + directory);
    return true;
}

// On a network file system the directory that rank 0 made may be seen late.
Outcome Session::open_where_seen_late(const std::string& path, const Definitions& first) {
    constexpr std::int64_t patience_ns = 10'000'000'000;
    const std::int64_t deadline = monotonic_ns() + patience_ns;
    const timespec pause{0, 10'000'000};
    while (true) {
        make_parents(path);
        auto opened = writer.open(path, header, first);
        const bool seen_late = writer.last_errno() == ENOENT || writer.last_errno() == ESTALE;
        if (opened || !seen_late || monotonic_ns() > deadline) return opened;
        nanosleep(&pause, nullptr);
    }
}

bool Session::protect(Lane& lane) {
    for (const std::string& place : lane_places_) {
        if (mkdir(place.c_str(), 0700) != 0 && errno != EEXIST) continue;
        if (lane.protect(place)) {
            if (header.lane_directory.empty()) header.lane_directory = place;
            return true;
        }
        rmdir(place.c_str());
    }
    return false;
}

void Session::stop_recording() {
    recording_ = false;
    // Collectives must still be counted, and messages carry their headers, as on the other ranks.
    if (!clocks_are_periodic && !piggyback_policy.on) step_aside();
}

void initialized(Call& call) {
    if (thread.depth != 1 || session == nullptr) return;
    call.store();
    session->start();
}

void has_session() {
    session->has_mpi_session = true;
    requests.use_lock(true);
    messages.use_lock(true);
}

} // namespace tactus
