#include "collector/session.hpp"

#include "base/host.hpp"
#include "base/log.hpp"
#include "base/mpi/datatypes.hpp"
#include "base/mpi/own_operation.hpp"
#include "base/options/launched_by.hpp"
#include "base/thread_state_kept.hpp"
#include "base/version.hpp"
#include "collector/call.hpp"
#include "collector/call_cost_calibration.hpp"
#include "collector/comms.hpp"
#include "collector/counters.hpp"
#include "collector/modules.hpp"
#include "collector/postprocess.hpp"
#include "collector/requests.hpp"
#include "collector/sampler.hpp"
#include "collector/selection.hpp"
#include "collector/shared_objects.hpp"
#include "collector/signals.hpp"
#include "collector/stretches.hpp"
#include "collector/thread.hpp"
#include "collector/vt/names.hpp"
#include "collector/vt/recording.hpp"
#include "collector/vt/run.hpp"
#include "collector/vt/state.hpp"
#include "collector/vt/threads.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/policy.hpp"
#include "piggyback/mpi/side_message.hpp"
#include "trace/manifest.hpp"
#include "writer/trace_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

// What rank 0 tells the others. An empty directory says that there is no trace.
struct Agreement {
    std::uint64_t job = 0;
    SyncSettings sync;
    char directory[4096] = {};
};

[[noreturn]] void give_up_waiting(MPI_Comm world, const Header& header, std::int64_t waited_ns) {
    sayf(
        "rank %u waited %.0f s in MPI_Init for the collector of all %u ranks: some rank runs without it. Preload every "
        "part of the job (`tactus run` does), or raise VT_INIT_TIMEOUT if it is only slow. The job is ended.",
        header.rank, 1e-9 * static_cast<double>(waited_ns), header.ranks);
    sleep(1); // MPICH's launcher ends a job at once, and may then not pass on what a rank has just said
    pmpi.Abort(world, 1);
    _exit(1);
}

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int size = 0;
    pmpi.Get_library_version(text, &size);
    std::string line; // the first line up to its first comma, with runs of blanks as one
    for (const char* c = text; *c != '\0' && *c != '\n' && *c != ','; ++c) {
        const bool blank = *c == ' ' || *c == '\t';
        if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : *c;
    }
    return line;
}

void name_unknown_functions() {
    const std::vector<std::string> unknown = unknown_functions();
    if (unknown.empty()) return;
    std::string names = unknown.front();
    for (std::size_t i = 1; i < unknown.size(); ++i) names += ", " + unknown[i];
    sayf("the program calls %zu MPI function%s that this version of tactus does not know and does not record: %s",
         unknown.size(), unknown.size() == 1 ? "" : "s", names.c_str());
}

} // namespace

Session::Session() : writer_{losses_, 0}, options_{Options::read(environ)}, lanes_{writer_, losses_, header_} {
    choose_timer(options_.timer());
    if (const std::string& wrong = options_.text(Option::test_clock); !wrong.empty())
        header_.test_clock = use_test_clock(wrong);
    watch_threads();
    header_.start = read_anchor(); // before the first record
}

// --- The beginning

void Session::start(MPI_Comm world) {
    const ThreadStateKept kept;
    learn_library();
    // MPI_Wtime is called only where the user asked for it, because Open MPI counts from its first call.
    if (chosen_timer() == Timer::mpi_wtime || options_.lists_timers()) use_wtime([] { return pmpi.Wtime(); });
    const Ticks begin = now();
    const std::int64_t patience_ns = options_.nanoseconds(Option::init_timeout);
    make_comm(world, patience_ns);
    int level = MPI_THREAD_MULTIPLE;
    if (!has_mpi_session_) pmpi.Query_thread(&level); // a session may use threads all the same
    if (level < MPI_THREAD_MULTIPLE) {
        requests.use_lock(false);
        matched_messages.use_lock(false);
    }
    if (header_.rank == 0)
        for (const std::string& complaint : options_.complaints()) say(complaint);
    if (header_.rank == 0 && options_.lists_timers()) list_timers();
    if (header_.rank == 0) explain_vt_libraries();
    if (header_.rank == 0) name_unknown_functions();
    datatypes.learn_predefined(comm_);
    comms.start(world);
    select_by_process(header_.rank, header_.ranks);
    if (agree_on_trace(patience_ns)) {
        if (is_of_sessions_ && sync_settings_.period_ns > 0) {
            sync_settings_.period_ns = 0;
            if (header_.rank == 0)
                say("VT_SYNC_PERIOD is off: it counts collectives on MPI_COMM_WORLD, which a program without MPI_Init "
                    "does not have");
        }
        if (!is_of_sessions_) watch_finalize();
        if (!agree_on_piggyback_policy(options_, has_mpi_session_, monotonic_ns() + patience_ns))
            give_up_waiting(comm_, header_, patience_ns);
        // When messages are copied, a completion must find exactly its own request, in whichever thread it happens.
        if (piggyback_policy.on) requests.use_one_table();
        const bool opened = open_trace(world);
        if (opened)
            begin_stretches(ns_per_tick(header_.timer, header_.start, read_anchor()), samples_calls_);
        else
            stop_recording();
        clocks_.start(sync_settings_, header_, opened);
        if (opened || piggyback_policy.on) measure_call_costs();
        if (opened && thread.lane != nullptr) note_stretch(*thread.lane); // the first one begins here
    } else {
        stop_recording();
    }
    starting_ = now() - begin;
    begun_.store(true, std::memory_order_relaxed); // pairs with nothing
    begin_delays(starting_, thread.lane);
}

// The first message of tactus. It never completes when a rank runs without the collector, so it has a deadline. Once it
// is complete, every rank is known to have the collector, and all later messages rely on that.
void Session::make_comm(MPI_Comm world, std::int64_t patience_ns) {
    int rank = 0;
    int ranks = 1;
    pmpi.Comm_rank(world, &rank);
    pmpi.Comm_size(world, &ranks);
    header_.rank = static_cast<std::uint32_t>(rank);
    header_.ranks = static_cast<std::uint32_t>(ranks);
    if (!Together{world, monotonic_ns() + patience_ns}.duplicate(comm_)) give_up_waiting(world, header_, patience_ns);
    piggyback_host.comm = comm_;
    piggyback_host.rank = rank;
    piggyback_host.ranks = ranks;
    piggyback_host.notes_delays = options_.on(Option::delays);
    const std::uint32_t said = rank_by_launcher().value_or(0);
    if (!header_.test_clock.function.empty() && said != header_.rank)
        sayf("VT_TEST_CLOCK: rank %d was taken for rank %u, as its launcher said", rank, said);
}

bool Session::agree_on_trace(std::int64_t patience_ns) {
    Agreement agreement;
    const TraceName name = trace_name(options_);
    header_.program = name.program;
    if (header_.rank == 0) {
        agreement.job = random_number();
        agreement.sync = sync_settings(options_, header_.start);
        auto made = make_trace_directory(name, header_.ranks);
        if (made)
            std::strncpy(agreement.directory, made->c_str(), sizeof agreement.directory - 1);
        else
            say(made.error().line() + "; the program runs untraced");
    }
    if (!Together{comm_, monotonic_ns() + patience_ns}.broadcast(agreement))
        give_up_waiting(comm_, header_, patience_ns);
    directory_ = agreement.directory;
    header_.job = agreement.job;
    sync_settings_ = agreement.sync;
    return !directory_.empty();
}

void Session::fill_header(MPI_Comm world) {
    header_.host = host_name();
    header_.boot_id = boot_id();
    if (!test_host().empty()) header_.host = header_.boot_id = test_host();
    header_.pid = static_cast<std::uint64_t>(getpid());
    header_.mpi = library_version();
    header_.tactus = version();
    const char* run = std::getenv("VT_TACTUS_RUN");
    header_.run = run != nullptr ? run : "";
    header_.timer = chosen_timer();
    header_.timer_resolution = timer_resolution();
    header_.options = options_.all();
    header_.schema = schema();
    header_.overhead_ps_per_call = measure_overhead_ps(world);
}

bool Session::open_trace(MPI_Comm world) {
    fill_header(world);
    const std::string& wanted = options_.text(Option::flush_prefix);
    header_.lane_directory = lanes_.move_to_files(
        thread.lane, directory_,
        places_for_lanes(wanted.empty() ? wanted : absolute(wanted, options_), directory_, header_.job));
    Definitions first;
    first.comms = comms.definitions(); // the predefined ones; records define those made later
    for (const Datatypes::Named& type : datatypes.predefined())
        first.datatypes.push_back({.number = type.number, .name = type.name, .size = type.size});
    first.modules = lanes_.first_modules();
    first.machines.push_back(read_machine());
    first.os_readings.push_back(read_os());
    std::string complaint;
    first.processor_counters = begin_counters(options_, complaint);
    if (!complaint.empty() && header_.rank == 0) say(complaint);
    first.anchors.push_back(read_anchor()); // with the header's it gives the timer's rate if the file is never closed
    if (auto opened = open_where_seen_late(directory_ + "/" + rank_file_name(header_.rank), first); !opened) {
        say(opened.error().line() + "; this rank is not recorded, the program runs on");
        lanes_.remove_files();
        return false;
    }
    lanes_.begin_recording();
    samples_calls_ = begin_sampling(options_.samples_a_second(), options_.levels_of_calls(),
                                    ns_per_tick(header_.timer, header_.start, read_anchor()));
    writer_.start_thread(run_errands);
    if (const std::string refusal = watch_signals(options_.text(Option::flush_signal));
        !refusal.empty() && header_.rank == 0)
        say(refusal);
    started_ = true;
    note_early_definitions();
    count_early_refusals();
    if (options_.on(Option::verbose) && header_.rank == 0) say("tracing into " + directory_);
    return true;
}

// On a network file system this rank may see the directory that rank 0 made only after some time.
Outcome Session::open_where_seen_late(const std::string& path, const Definitions& first) {
    constexpr std::int64_t patience_ns = 10'000'000'000;
    const std::int64_t deadline = monotonic_ns() + patience_ns;
    const timespec pause{0, 10'000'000};
    while (true) {
        make_parents(path);
        auto opened = writer_.open(path, header_, first);
        const bool seen_late = writer_.last_errno() == ENOENT || writer_.last_errno() == ESTALE;
        if (opened || !seen_late || monotonic_ns() > deadline) return opened;
        nanosleep(&pause, nullptr);
    }
}

void Session::stop_recording() {
    recording_ = false;
    lanes_.stop();
    // This rank must still count collectives and send headers with its messages, because the other ranks do.
    // In a world of sessions the wrappers must still find its end.
    if (!clocks_are_periodic && !piggyback_policy.on && !session_world_.is_made()) step_aside();
}

void Session::begin_mpi_session() {
    has_mpi_session_ = true;
    ++open_mpi_sessions_;
    if (is_of_sessions_) report_use_after_end();
}

void Session::report_use_after_end() const {
    if (ended() && header_.rank == 0)
        say("the trace ended with the last MPI session that was open; what the program does from now on is not in it");
}

bool Session::takes_as_world(MPI_Comm comm) {
    int is_initialized = 0;
    pmpi.Initialized(&is_initialized);
    if (is_initialized != 0 || is_of_sessions_ || !SessionWorld::has_all_processes(comm)) return false;
    return !is_of_sessions_.exchange(true); // another thread may be quicker
}

void Session::start_from_group() {
    if (session_world_.make(options_.nanoseconds(Option::init_timeout))) start(session_world_.comm());
}

// --- The end

void Session::end_mpi_session() {
    if (open_mpi_sessions_ <= 0 || --open_mpi_sessions_ > 0 || !session_world_.is_made()) return;
    directory_.empty() ? static_cast<void>(pmpi.Comm_free(&comm_)) : end_run();
    if (comm_ == handle.COMM_NULL) session_world_.free(); // else some process did not come to the end
}

void Session::close(Ending ending) {
    const ThreadStateKept kept;
    const bool inside = thread.depth > 0;
    if (inside && thread.open == nullptr) return;
    if (closed_.exchange(true)) return;
    lanes_.begin_end();
    leave_sigterm();
    constexpr std::int64_t ms = 1'000'000;
    const std::int64_t patience_ns = ending == Ending::finalize ? 5000 * ms : 400 * ms; // a signal's end has a limit
    bool (*const end_borrower)(std::int64_t) = end_of_borrower_.load();
    const bool all_returned = end_borrower == nullptr || end_borrower(patience_ns);
    writer_.stop_thread(); // before this thread takes a lock that an errand of that thread may need
    sampling_ = end_sampling();
    close_counters(thread.last_reading.counters);
    stop_recording();
    if (inside) give_up_open_calls(*thread.lane);
    if (!started_) return;
    const Ticks begin = now();
    // In MPI_Finalize the calls of all other threads have returned. At any other end a thread may be inside a call.
    const bool alone = ending == Ending::finalize && vt_threads_are_out() && all_returned;
    if (alone || thread.vt != nullptr) store_open_regions(alone ? nullptr : thread.vt);
    lanes_.save(thread.lane, alone);
    Definitions closing = closing_definitions(ending);
    closing.totals.front().finishing = now() - begin;
    closed_in_order_ = writer_.close(std::move(closing));
    report_losses(closed_in_order_);
    thread.lane = nullptr;
}

Definitions Session::closing_definitions(Ending ending) {
    Definitions closing;
    closing.comms = comms.definitions();
    closing.windows = windows.definitions();
    closing.files = files.definitions();
    closing.modules = lanes_.further_modules();
    anchors_ = {header_.start, read_anchor()};
    closing.anchors.push_back(anchors_.back());
    closing.os_readings.push_back(read_os());
    closing.sampling = std::move(sampling_);
    closing.processor_counters = end_counters();
    vt_names.add_to(closing);
    Totals totals = lanes_.totals();
    totals.ending = ending;
    totals.comms = comms.count();
    totals.starting = starting_;
    totals.measuring = clocks_.measuring();
    closing.totals.push_back(totals);
    return closing;
}

// Removes the lanes' files, unless they may still hold records that the rank file lacks.
void Session::report_losses(bool closed_well) {
    const std::vector<std::uint64_t> lost = losses_.values();
    const auto count = [&](Loss loss) { return static_cast<unsigned long long>(lost[static_cast<std::size_t>(loss)]); };
    if (count(Loss::no_memory) > 0)
        sayf("rank %u: memory for threads that began late was refused: %llu of their calls are not in the trace",
             header_.rank, count(Loss::no_memory));
    const unsigned long long not_written = count(Loss::block_not_written);
    const unsigned long long late_threads = count(Loss::late_thread);
    if (!closed_well || not_written > 0)
        sayf("rank %u: %s/%s is incomplete, %llu records could not be written: %s; `tactus recover` can still bring in "
             "the last of them from the lanes",
             header_.rank, directory_.c_str(), rank_file_name(header_.rank).c_str(), not_written,
             strerror(writer_.last_errno()));
    else if (late_threads > 0)
        sayf("rank %u: %s/%s lacks the last records of %llu threads that ran when it was closed; `tactus recover` can "
             "still bring them in from the lanes",
             header_.rank, directory_.c_str(), rank_file_name(header_.rank).c_str(), late_threads);
    else
        lanes_.remove_files();
}

void Session::finish() {
    const ThreadStateKept kept;
    const std::int64_t timeout_ns = options_.nanoseconds(Option::finalize_timeout);
    const std::int64_t deadline = monotonic_ns() + timeout_ns;
    const Totals totals = started_ ? lanes_.totals() : Totals{};
    const bool measured = finish_clocks(deadline);
    const auto come_by = [&] { return measured ? monotonic_ns() + timeout_ns : deadline; };
    const Postprocessing work{options_, header_, directory_, comm_, clocks_.origin_realtime_ns(), writer_};
    const bool finished = postprocess(work, measured && closed_in_order_, totals.records, come_by());
    Sums sums{.values = {totals.calls, totals.records, writer_.size()}};
    const std::vector<std::uint64_t> lost = losses_.values();
    std::copy(lost.begin(), lost.end(), sums.values.begin() + Sums::losses);
    const bool together = finished && Together{comm_, come_by()}.reduce_to_first(sums.values, handle.SUM);
    if (header_.rank == 0 && together)
        write_manifest(sums);
    else if (header_.rank == 0)
        sayf("not every rank reached the end of MPI_Finalize within VT_FINALIZE_TIMEOUT; %s has no manifest, the rank "
             "files that are there are complete",
             directory_.c_str());
    if (header_.rank == 0 && options_.on(Option::verbose)) say("the trace is in " + directory_);
    use_wtime(nullptr);
    clocks_.stop(together);
    if (!together) return;
    drop_side_messages();
    pmpi.Comm_free(&comm_);
    comms.stop();
}

// Makes the last round of measurements and appends this rank's time map to its file. False: not all ranks came.
bool Session::finish_clocks(std::int64_t deadline_ns) {
    if (anchors_.empty()) anchors_ = {header_.start, read_anchor()}; // without a file; others measure against it
    const ClockFacts own{.place = {},
                         .timer = header_.timer,
                         .timer_resolution = header_.timer_resolution,
                         .anchors = anchors_,
                         .rounds = {}};
    Definitions more;
    const bool measured = clocks_.finish(own, deadline_ns, more);
    const bool any = !more.sync_rounds.empty() || !more.time_maps.empty();
    if (any && !writer_.append_to_closed({}, more))
        sayf("rank %u: the last clock round could not be written to %s: %s", header_.rank, directory_.c_str(),
             strerror(writer_.last_errno()));
    return measured;
}

void Session::write_manifest(const Sums& sums) const {
    Manifest manifest = manifest_of(header_);
    manifest.calls = sums.values[0];
    manifest.records = sums.values[1];
    manifest.bytes = sums.values[2];
    manifest.losses = named_losses(std::span{sums.values}.subspan(Sums::losses));
    if (const Outcome written = ::tactus::write_manifest(directory_, manifest); !written) say(written.error().line());
}

// A program that uses MPI sessions for groups of some processes alone is not traced: nothing brings all ranks together.
void Session::explain_missing_trace() const {
    const char* const rank = std::getenv("PMI_RANK");
    if (has_mpi_session_ && comm_ == MPI_Comm{} && (rank == nullptr || std::string_view{rank} == "0"))
        say("the program used MPI sessions, and neither called MPI_Init nor made a communicator of all of several "
            "processes: it ran untraced");
}

} // namespace tactus
