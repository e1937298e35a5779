#include "collector/session_world.hpp"

#include "base/locked.hpp"
#include "base/log.hpp"
#include "base/ticks.hpp"

#include <cstdlib>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr const char* all_processes = "mpi://WORLD";

// 0: not known. A session of tactus's own is asked, so that no handle of the program is needed.
int processes_of_run() {
    MPI_Session own{};
    MPI_Info info{};
    char text[32] = {};
    int known = 0;
    if (pmpi.Session_init(handle.INFO_NULL, handle.ERRORS_RETURN, &own) != MPI_SUCCESS) return 0;
    if (pmpi.Session_get_pset_info(own, all_processes, &info) == MPI_SUCCESS) {
        pmpi.Info_get(info, "mpi_size", sizeof text - 1, text, &known);
        pmpi.Info_free(&info);
    }
    pmpi.Session_finalize(&own);
    return known != 0 ? std::atoi(text) : 0;
}

// Ends the process when this lives longer than it may. Making a communicator from a group cannot be given up.
class Deadline {
  public:
    explicit Deadline(std::int64_t patience_ns) : patience_ns_{patience_ns} {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&over_, &monotonic);
        pthread_condattr_destroy(&monotonic);
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); // no signal of the application arrives in that thread
        has_thread_ = pthread_create(&thread_, nullptr, &Deadline::wait, this) == 0;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ~Deadline() {
        {
            const Locked hold{lock_};
            is_over_ = true;
            pthread_cond_signal(&over_);
        }
        if (has_thread_) pthread_join(thread_, nullptr);
        pthread_cond_destroy(&over_);
    }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

  private:
    static void* wait(void* itself) {
        auto& self = *static_cast<Deadline*>(itself);
        constexpr std::int64_t second_ns = 1'000'000'000;
        const std::int64_t until_ns = monotonic_ns() + self.patience_ns_;
        const timespec until{static_cast<time_t>(until_ns / second_ns), static_cast<long>(until_ns % second_ns)};
        const Locked hold{self.lock_};
        int late = 0;
        while (!self.is_over_ && late == 0) late = pthread_cond_timedwait(&self.over_, &self.lock_, &until);
        if (self.is_over_) return nullptr;
        sayf("a process waited %.0f s in MPI_Comm_create_from_group for the collector of all processes: some process "
             "runs without it. Preload every part of the job (`tactus run` does), or raise VT_INIT_TIMEOUT if it is "
             "only slow. The job is ended.",
             1e-9 * static_cast<double>(self.patience_ns_));
        _exit(1);
    }

    const std::int64_t patience_ns_;
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t over_{};
    pthread_t thread_{};
    bool has_thread_ = false;
    bool is_over_ = false;
};

} // namespace

bool SessionWorld::has_all_processes(MPI_Comm comm) {
    int size = 0;
    if (comm == handle.COMM_NULL || pmpi.Comm_size(comm, &size) != MPI_SUCCESS) return false;
    return size > 1 && size == processes_of_run();
}

bool SessionWorld::make(std::int64_t patience_ns) {
    const Deadline deadline{patience_ns};
    MPI_Group group{};
    if (pmpi.Session_init(handle.INFO_NULL, handle.ERRORS_RETURN, &session_) != MPI_SUCCESS) return false;
    if (pmpi.Group_from_session_pset(session_, all_processes, &group) != MPI_SUCCESS) return false;
    const int rc = pmpi.Comm_create_from_group(group, "tactus", handle.INFO_NULL, handle.ERRORS_RETURN, &comm_);
    pmpi.Group_free(&group);
    return rc == MPI_SUCCESS;
}

void SessionWorld::free() {
    pmpi.Comm_free(&comm_);
    pmpi.Session_finalize(&session_);
    comm_ = {};
}

} // namespace tactus
