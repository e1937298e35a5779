#include "collector/vt/run.hpp"

#include "base/log.hpp"
#include "base/options/launched_by.hpp"
#include "base/thread_state_kept.hpp"
#include "collector/selection.hpp"
#include "collector/vt/state.hpp"
#include "collector/vt/threads.hpp"
#include "mpi_kind.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <dlfcn.h>

extern "C" [[gnu::visibility("hidden")]] void tactus_set_up(std::size_t index);

namespace tactus {
namespace {

// VT_initialize started MPI, and the program has not called MPI_Init since.
std::atomic<bool> mpi_is_ours{false};
// VT_initialize found a process without MPI: it is not recorded, as if there were no collector.
std::atomic<bool> without_mpi{false};
std::array<std::atomic<std::uint64_t>, loss_count> early_refusals{};

// A linker drops the MPI of a program that calls VT.h only (--as-needed). Whoever started several processes for an MPI
// job meant them to have one. A program that is linked with libVTcs has none, and is traced as the one rank of a job.
bool load_mpi() {
    const bool alone = dlopen("libVTcs.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
    if (!alone && !ranks_by_launcher()) return false;
    for (const char* const name : sonames)
        if (dlopen(name, RTLD_LAZY | RTLD_GLOBAL) != nullptr) return true;
    if (rank_by_launcher().value_or(0) == 0)
        sayf("VT_initialize: the program is linked with no MPI, and %s could not be loaded (%s): it runs untraced. %s",
             sonames[0], dlerror(),
             alone ? "Put the folder of an MPI into LD_LIBRARY_PATH"
                   : "Link with -Wl,--no-as-needed, so that the linker keeps the MPI");
    return false;
}

} // namespace

bool takes_over_vt_initialize() { return mpi_is_ours.exchange(false); }

int vt_idle() {
    if (pmpi.Init == nullptr) return without_mpi ? VT_OK : VT_ERR_NOTINITIALIZED; // no MPI call was made yet
    const Session* const now = session;
    if (now == nullptr) return VT_OK;
    return now->ended() || (now->recording() && !now->live()) ? VT_ERR_NOTINITIALIZED : VT_OK;
}

int refused(int code, Loss kind) {
    if (session == nullptr)
        early_refusals[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    else if (!session->ended())
        session->losses().add(kind);
    return code;
}

void count_early_refusals() {
    for (std::size_t i = 0; i < loss_count; ++i)
        session->losses().add(static_cast<Loss>(i), early_refusals[i].exchange(0, std::memory_order_relaxed));
}

void explain_vt_libraries() {
    if (dlopen("libVTmc.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr)
        say("the program is linked with libVTmc: tactus does not check for errors in this version");
    Dl_info theirs{};
    Dl_info ours{};
    void* const begin = dlsym(RTLD_DEFAULT, "VT_begin");
    if (begin == nullptr || dladdr(begin, &theirs) == 0 || theirs.dli_fname == nullptr ||
        dladdr(reinterpret_cast<void*>(&explain_vt_libraries), &ours) == 0 || theirs.dli_fbase == ours.dli_fbase)
        return;
    const char* const slash = std::strrchr(theirs.dli_fname, '/');
    // The functions of libVT.a in a program lead to those of the collector.
    if (std::strncmp(slash != nullptr ? slash + 1 : theirs.dli_fname, "libVT", 5) != 0) return;
    sayf("calls of VT.h are not recorded: %s comes before tactus. Preload tactus first (`tactus run` does)",
         theirs.dli_fname);
}

int not_recorded_yet() { return refused(VT_OK, Loss::vt_unsupported); }

int initialize_run(int* argc, char*** argv) {
    if (vt_records()) return VT_OK;
    if (pmpi.Init == nullptr && dlsym(RTLD_NEXT, "PMPI_Init") == nullptr && !load_mpi()) {
        without_mpi = true;
        return VT_OK;
    }
    tactus_set_up(0);                     // any entry will do, if the set-up is done
    if (session == nullptr) return VT_OK; // not recorded: as without the collector
    int running = 0;
    int ended = 0;
    pmpi.Initialized(&running);
    pmpi.Finalized(&ended);
    if (running != 0) return ended != 0 ? VT_ERR_NOTINITIALIZED : VT_OK;
    int provided = 0;
    // The exported name is called, as if the program did it.
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return VT_ERR_NOTINITIALIZED;
    mpi_is_ours = true;
    return VT_OK;
}

int finalize_run() {
    if (!mpi_is_ours.exchange(false)) return VT_OK;
    int ended = 0;
    pmpi.Finalized(&ended);
    if (ended == 0) MPI_Finalize();
    return VT_OK;
}

int abort_run() {
    if (!vt_records()) return vt_idle();
    session->close(Ending::abort);
    return VT_OK;
}

int rank_of_run(int* rank) {
    if (rank == nullptr) return VT_ERR_BADARG;
    *rank = vt_records() ? static_cast<int>(session->header().rank) : 0;
    return vt_records() ? VT_OK : vt_idle();
}

int flush_thread() {
    if (!vt_records()) return vt_idle();
    const Inside inside;
    if (inside.own() == nullptr) return inside.refusal();
    if (inside.may_record()) inside.own()->lane->seal();
    return VT_OK;
}

int synchronize_clocks() {
    const Session* const now = session;
    // A rank takes part even if its file could not be opened or it called VT_abort, because the others wait for it.
    if (now == nullptr || !session->clocks().usable()) return vt_idle();
    MPI_Comm parent = handle.COMM_NULL;
    if (pmpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != handle.COMM_NULL) return VT_ERR_SPAWNED;
    const ThreadStateKept kept;
    const Inside inside;
    session->clocks().synchronize();
    return VT_OK;
}

namespace {

// When this process first asked for the time. The collector has no constructor that could note an earlier one.
std::int64_t first_asked_ns() {
    static const std::int64_t first = monotonic_ns();
    return first;
}

} // namespace

double seconds_now() {
    first_asked_ns();
    return 1e-9 * static_cast<double>(monotonic_ns());
}

double seconds_at_start() {
    const std::int64_t first = first_asked_ns();
    return 1e-9 * static_cast<double>(session != nullptr ? session->header().start.monotonic_ns : first);
}

int set_tracing(bool on) {
    if (!vt_records()) {
        thread.begins_off = !on;
        return session != nullptr && session->ended() ? vt_idle() : VT_OK;
    }
    if (thread.lane == nullptr) lane_of_this_thread(); // sets `off` as for a new thread
    thread.off = !on || !can_trace_on();
    if (thread.lane != nullptr) thread.lane->set_off(thread.off);
    if (thread.off) selective.store(true, std::memory_order_relaxed);
    return VT_OK;
}

int tracing_state(int* state) {
    if (state == nullptr) return VT_ERR_BADARG;
    *state = vt_records() ? (!thread.off ? 0 : can_trace_on() ? 1 : 2) : 2;
    return vt_records() ? VT_OK : vt_idle();
}

int number_of_thread(int* index) {
    if (index == nullptr) return VT_ERR_BADARG;
    *index = 0;
    if (!vt_records()) return vt_idle();
    const Inside inside;
    if (inside.own() == nullptr) return inside.refusal();
    const VtThread& own = *inside.own();
    *index = own.index >= 0 ? own.index : static_cast<int>(own.number);
    return VT_OK;
}

} // namespace tactus
