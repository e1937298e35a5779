// The ends of a run: MPI_Finalize (in the delete callback of an attribute on MPI_COMM_SELF, which runs inside it after
// the application's own callbacks, with MPI still working), MPI_Abort, and exit without either.
#include "base/locked.hpp"
#include "base/log.hpp"
#include "collector/call.hpp"
#include "collector/session.hpp"
#include "collector/signals.hpp"
#include "collector/vt/names.hpp"
#include "collector/vt/threads.hpp"
#include "piggyback/mpi/freed_requests.hpp"
#include "piggyback/mpi/policy.hpp"
#include "piggyback/mpi/side_message.hpp"
#include "trace/manifest.hpp"
#include "writer/rescue.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>

namespace tactus {
namespace {

int not_copied(MPI_Comm, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

int at_finalize(MPI_Comm, int, void*, void*) {
    if (session == nullptr) return MPI_SUCCESS;
    clocks_are_periodic = false;
    drop_side_messages(); // what is left of our own is sent by that
    reap_all_freed_requests();
    piggyback_policy.on = piggyback_policy.collectives = false; // the application's last message has come
    session->close(Ending::finalize);
    session->finish();
    return MPI_SUCCESS;
}

} // namespace

// Set right after MPI_Init, so that it is deleted last (MPI 4.0, 11.2.4: in the reverse order).
void watch_finalize() {
    int key = MPI_KEYVAL_INVALID;
    if (pmpi.Comm_create_keyval(not_copied, at_finalize, &key, nullptr) == MPI_SUCCESS)
        pmpi.Comm_set_attr(handle.COMM_SELF, key, nullptr);
}

namespace {
bool names(const std::vector<Module>& modules, const Module& module) {
    return std::any_of(modules.begin(), modules.end(), [&](const Module& known) {
        return known.begin == module.begin && known.end == module.end && known.path == module.path;
    });
}
} // namespace

// What the file does not say yet of where calls came from; all of it when a lane was not sealed by its owner.
std::vector<Module> Session::further_modules() const {
    std::vector<Module> further = mapped_modules();
    std::erase_if(further, [&](const Module& module) {
        const auto touched = [&](const Life& life) { return life.lane->pages().touch(module.begin, module.end); };
        return names(modules_, module) || !(taken_from_outside_ || std::any_of(lanes_.begin(), lanes_.end(), touched));
    });
    return further;
}

Definitions Session::closing_definitions(Ending ending) {
    Definitions closing;
    closing.comms = comms.definitions();
    closing.windows = windows.definitions();
    closing.files = files.definitions();
    closing.modules = further_modules();
    anchors_ = {header.start, read_anchor()};
    closing.anchors.push_back(anchors_.back());
    vt_names.add_to(closing);
    Totals totals;
    totals.ending = ending;
    totals.calls = past_calls_;
    totals.records = past_records_;
    totals.sealing = past_sealing_;
    totals.stalled = past_stalled_;
    totals.test_overhead = past_test_overhead_;
    totals.lanes = lives_;
    totals.comms = comms.count();
    totals.starting = starting_;
    totals.measuring = clocks.measuring();
    std::array<std::uint64_t, delay_bases> delays = past_delays_;
    for (const Life& life : lanes_) {
        if (!life.in_use) continue;
        totals.calls += life.lane->calls();
        totals.records += life.lane->records();
        totals.sealing += life.lane->sealing_ticks();
        totals.stalled += life.lane->stalled_ticks();
        totals.test_overhead += life.lane->test_overhead();
        for (std::size_t i = 0; i < delay_bases; ++i) delays[i] += life.lane->delays(i);
    }
    if (std::any_of(delays.begin(), delays.end(), [](std::uint64_t count) { return count > 0; }))
        totals.delays.assign(delays.begin(), delays.end());
    closing.totals.push_back(totals);
    return closing;
}

// In MPI_Finalize every other thread's calls have returned, so their lanes may be sealed from here. At any other end
// they may be in the middle of one: what they published and the call they are inside of is taken from outside.
void Session::save_lanes(bool alone) {
    for (Life& life : lanes_)
        if (life.in_use && (alone || life.lane.get() == thread.lane)) life.lane->seal();
    if (alone) return;
    writer.drain();
    Rescue rescue{writer};
    for (Life& life : lanes_) {
        if (!life.in_use || life.lane.get() == thread.lane) continue;
        taken_from_outside_ = true;
        const auto lane = life.lane->contents();
        const Rescued saved = lane ? rescue.save(*lane, now()) : Rescued{.complete = false};
        if (!saved.complete) losses.add(Loss::late_thread);
        past_calls_ += saved.calls;
        past_records_ += saved.records;
    }
}

void Session::beat_lanes() {
    const auto in_memory = [](const Life& life) { return life.in_use && !life.lane->is_protected(); };
    const auto unprotected = std::count_if(lanes_.begin(), lanes_.end(), in_memory);
    for (Life& life : lanes_) life.lane->beat(now(), static_cast<std::uint64_t>(unprotected));
}

// A process that is killed tells nothing at its end.
void Session::note_new_modules() {
    const std::uint64_t changes = module_changes();
    if (!started_ || changes == std::exchange(module_changes_, changes)) return;
    Definitions fresh;
    fresh.modules = calling_modules();
    std::erase_if(fresh.modules, [&](const Module& module) { return names(modules_, module); });
    if (fresh.modules.empty()) return;
    modules_.insert(modules_.end(), fresh.modules.begin(), fresh.modules.end());
    writer.add_definitions(fresh);
}

void Session::beat() {
    if (pthread_mutex_trylock(&lanes_lock_) != 0) return;
    beat_lanes();
    if (!closed_) note_new_modules();
    pthread_mutex_unlock(&lanes_lock_);
}

void Session::flush() {
    writer.drain();
    const Locked hold{lanes_lock_};
    if (closed_.load()) return;
    Rescue rescue{writer};
    for (Life& life : lanes_) {
        if (!life.in_use) continue;
        if (const auto lane = life.lane->contents()) rescue.save(*lane, {});
    }
}

void Session::close(Ending ending) {
    const bool inside = thread.depth > 0;
    if (inside && thread.open == nullptr) return;
    if (closed_.exchange(true)) return;
    leave_sigterm();
    constexpr std::int64_t ms = 1'000'000;
    const std::int64_t patience_ns = ending == Ending::finalize ? 5000 * ms : 400 * ms; // a signal's end is timed
    bool (*const end_borrower)(std::int64_t) = end_of_borrower_.load();
    const bool all_returned = end_borrower == nullptr || end_borrower(patience_ns);
    writer.stop_thread(); // before any lock that an errand of its may want
    stop_recording();
    if (inside) give_up_open_calls(*thread.lane);
    if (!started_) return;
    const Ticks begin = now();
    const bool alone = ending == Ending::finalize && vt_threads_are_out() && all_returned;
    const Locked hold{lanes_lock_};
    if (alone || thread.vt != nullptr) store_open_regions(alone ? nullptr : thread.vt);
    save_lanes(alone);
    Definitions closing = closing_definitions(ending);
    closing.totals.front().finishing = now() - begin;
    const bool good = closed_in_order_ = writer.close(std::move(closing));
    const std::uint64_t lost = losses.values()[static_cast<std::size_t>(Loss::block_not_written)];
    const std::uint64_t without = losses.values()[static_cast<std::size_t>(Loss::no_memory)];
    if (without > 0)
        sayf("rank %u: memory for threads that began late was refused: %llu of their calls are not in the trace",
             header.rank, static_cast<unsigned long long>(without));
    const bool late = losses.values()[static_cast<std::size_t>(Loss::late_thread)] > 0;
    if (good && lost == 0 && !late)
        remove_lane_files();
    else
        sayf("rank %u: %s/%s is incomplete, %llu records could not be written: %s; `tactus recover` can still bring in "
             "the last of them from the lanes",
             header.rank, directory.c_str(), rank_file_name(header.rank).c_str(), static_cast<unsigned long long>(lost),
             strerror(writer.last_errno()));
    thread.lane = nullptr;
}

// MPI_Init is where all ranks are together; a session may be anybody's own.
void Session::explain_missing_trace() {
    const char* const rank = std::getenv("PMI_RANK");
    if (has_mpi_session && comm == MPI_Comm{} && (rank == nullptr || std::string_view{rank} == "0"))
        say("the program used MPI sessions and never called MPI_Init: it ran untraced");
}

// Their memory stays: a late thread may still be writing to it.
void Session::remove_lane_files() {
    for (Life& life : lanes_) life.lane->unprotect();
    for (const std::string& place : lane_places_)
        rmdir(place.c_str()); // succeeds for the last rank of the host that leaves it empty
}

void Session::finish() {
    // On the heap, and given back only when the sum is complete: until then the MPI may write to it.
    constexpr std::size_t facts = 3 + loss_count;
    struct Sums {
        std::uint64_t mine[facts];
        std::uint64_t all[facts];
    };
    auto* const sums = new (std::nothrow) Sums{};
    if (sums == nullptr) return;
    {
        const Locked hold{lanes_lock_};
        sums->mine[0] = past_calls_;
        sums->mine[1] = past_records_;
        for (const Life& life : lanes_) {
            if (!life.in_use || !started_) continue;
            sums->mine[0] += life.lane->calls();
            sums->mine[1] += life.lane->records();
        }
    }
    const std::int64_t timeout = options.nanoseconds(Option::finalize_timeout);
    const std::int64_t deadline = monotonic_ns() + timeout;
    Definitions more;
    if (anchors_.empty()) anchors_ = {header.start, read_anchor()}; // no file, but the others measure against it
    const ClockFacts own{.place = {},
                         .timer = header.timer,
                         .timer_resolution = header.timer_resolution,
                         .anchors = anchors_,
                         .rounds = {}};
    const bool measured = clocks.finish(own, deadline, more);
    const bool any = !more.sync_rounds.empty() || !more.time_maps.empty();
    if (any && !writer.append_to_closed({}, more))
        sayf("rank %u: the last clock round could not be written to %s: %s", header.rank, directory.c_str(),
             strerror(writer.last_errno()));
    const bool finished =
        finish_trace(measured && closed_in_order_, sums->mine[1], measured ? monotonic_ns() + timeout : deadline);
    sums->mine[2] = writer.size();
    const std::vector<std::uint64_t> lost = losses.values();
    std::copy(lost.begin(), lost.end(), sums->mine + 3);
    MPI_Request request = handle.REQUEST_NULL;
    const bool together =
        finished &&
        pmpi.Ireduce(sums->mine, sums->all, facts, handle.UINT64_T, handle.SUM, 0, comm, &request) == MPI_SUCCESS &&
        complete_by(request, measured ? monotonic_ns() + timeout : deadline);
    if (header.rank == 0) {
        if (together)
            write_manifest(sums->all);
        else
            sayf("not every rank reached the end of MPI_Finalize within VT_FINALIZE_TIMEOUT; %s has no manifest, the "
                 "rank files "
                 "that are there are complete",
                 directory.c_str());
        if (options.on(Option::verbose)) say("the trace is in " + directory);
    }
    use_wtime(nullptr);
    clocks.stop(together);
    if (!together) return;
    drop_side_messages();
    pmpi.Comm_free(&comm);
    comms.stop();
    delete sums;
}

void Session::write_manifest(std::span<const std::uint64_t> sums) {
    Manifest manifest = manifest_of(header);
    manifest.calls = sums[0];
    manifest.records = sums[1];
    manifest.bytes = sums[2];
    manifest.losses = named_losses(sums.subspan(3));
    if (const Outcome written = ::tactus::write_manifest(directory, manifest); !written) say(written.error().line());
}

} // namespace tactus

using namespace tactus;

extern "C" {

// The net under programs that exit without MPI_Finalize. It does nothing when the run was closed, or never started.
[[gnu::destructor]] static void at_exit() {
    if (session == nullptr) return;
    session->close(Ending::exit);
    session->explain_missing_trace();
}

} // extern "C"
