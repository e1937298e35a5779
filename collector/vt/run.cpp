#include "collector/vt/run.hpp"
#include "base/thread_state_kept.hpp"
#include "collector/selection.hpp"

#include "collector/vt/state.hpp"
#include "collector/vt/threads.hpp"

#include <atomic>
#include <dlfcn.h>

extern "C" [[gnu::visibility("hidden")]] void tactus_set_up(std::size_t index);

namespace tactus {
namespace {

// VT_initialize started MPI, and the program has not called MPI_Init since.
std::atomic<bool> mpi_is_ours{false};
// VT_initialize found a process without MPI: it is not recorded, as if there were no collector.
std::atomic<bool> without_mpi{false};

} // namespace

bool takes_over_vt_initialize() { return mpi_is_ours.exchange(false); }

int vt_idle() {
    if (pmpi.Init == nullptr) return without_mpi ? VT_OK : VT_ERR_NOTINITIALIZED; // no MPI call was made yet
    const Session* const now = session;
    if (now == nullptr) return VT_OK;
    return now->ended() || (now->recording() && !now->live()) ? VT_ERR_NOTINITIALIZED : VT_OK;
}

int initialize_run(int* argc, char*** argv) {
    if (vt_records()) return VT_OK;
    if (pmpi.Init == nullptr && dlsym(RTLD_NEXT, "PMPI_Init") == nullptr) {
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

double seconds_now() { return 1e-9 * static_cast<double>(monotonic_ns()); }

double seconds_at_start() {
    static const double first = seconds_now();
    return session != nullptr ? 1e-9 * static_cast<double>(session->header().start.monotonic_ns) : first;
}

int set_tracing(bool on) {
    if (!vt_records()) return vt_idle();
    if (thread.lane == nullptr) lane_of_this_thread(); // sets `off` as for a new thread
    thread.off = !on || !can_trace_on();
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
