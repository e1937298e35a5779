// The one recording of this process: options, writer, lanes, and the private communicator. Made at the first MPI call,
// never destroyed. Started at the end of MPI_Init, closed once, by whichever comes first: MPI_Finalize, MPI_Abort or
// exit.
#pragma once

#include "base/options/options.hpp"
#include "collector/clocks.hpp"
#include "collector/modules.hpp"
#include "collector/mpi_functions.hpp"
#include "trace/definitions.hpp"
#include "writer/lane.hpp"
#include "writer/rank_writer.hpp"

#include <atomic>
#include <pthread.h>
#include <span>
#include <string>
#include <vector>

namespace tactus {

class Session {
  public:
    Session();

    LossCounters losses;
    RankWriter writer;
    const Options options;
    MPI_Comm comm{}; // private, MPI_ERRORS_RETURN
    Header header;
    std::string directory;                    // of the trace
    std::atomic<bool> has_mpi_session{false}; // the program called MPI_Session_init
    Clocks clocks;

    // A lane for the calling thread; nullptr when recording has ended or memory is refused.
    Lane* acquire_lane();
    void release_lane(Lane& lane); // its thread has ended

    // All ranks together, in MPI_Init's wrapper: agrees on a trace and opens this rank's file. On failure says why,
    // once.
    void start();
    // Seals what is there, and closes the file. Only the first call does anything; and none at all when the end comes,
    // by a signal handler, in the middle of our own work: the file then stays as after a kill.
    void close(Ending ending);
    // Says in the lanes that the process lives, so that the end of a hanging call is known after a kill. In the
    // background thread, once a second.
    void beat();
    // What the lanes hold now is in the file on return. In the background thread.
    void flush();
    // Somebody else stores into lanes of ours until then: called once, before the file is closed. False: it was not in
    // time, and may be storing still.
    void at_end(bool (*end)(std::int64_t patience_ns)) { end_of_borrower_ = end; }
    // At exit: one line when there is none although MPI was used.
    void explain_missing_trace();
    // The last step, all ranks together, also those whose file could not be opened: rank 0 writes the manifest.
    void finish();

    [[nodiscard]] bool recording() const {
        return recording_.load(std::memory_order_relaxed);
    } // a hint, pairs with nothing
    // Between the end of MPI_Init and the end of MPI_Finalize, on a rank that has a file. Hints, too.
    [[nodiscard]] bool live() const { return recording() && started_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool ended() const { return closed_.load(std::memory_order_relaxed); }
    void stop_recording();

  private:
    friend void at_fork_in_child();
    bool agree_on_trace(); // false: there is none, on any rank
    bool open_trace();     // false: not on this rank
    Outcome open_where_seen_late(const std::string& path, const Definitions& first);
    // Gives the lane a file; the first place that has room is where this process's lanes go.
    bool protect(Lane& lane);
    void remove_lane_files();
    // Both with lanes_lock_.
    void beat_lanes();
    void note_new_modules();
    [[nodiscard]] std::vector<Module> further_modules() const;
    [[nodiscard]] Definitions closing_definitions(Ending ending);
    void save_lanes(bool alone);
    void write_manifest(std::span<const std::uint64_t> sums);
    // Collective, behind the closed file. `able`: this rank has one; `come_by`: when
    // the others should be here. False: the others did not come, or the wire broke.
    bool finish_trace(bool able, std::uint64_t records, std::int64_t come_by_ns);

    std::atomic<bool> recording_{true};
    std::atomic<bool> closed_{false};
    std::atomic<bool> started_{false}; // the file is open
    Ticks starting_ = 0;
    SyncSettings sync_settings_;  // rank 0's
    std::vector<Anchor> anchors_; // the first and, once the file is closed, the last
    std::vector<std::string> lane_places_;
    bool closed_in_order_ = false; // the file
    std::atomic<bool (*)(std::int64_t)> end_of_borrower_{nullptr};
    bool taken_from_outside_ = false; // some lane's last records, when it was closed
    pthread_mutex_t lanes_lock_ = PTHREAD_MUTEX_INITIALIZER;
    struct Life {
        std::unique_ptr<Lane> lane;
        bool in_use = false;
    };
    std::vector<Life> lanes_;
    std::int64_t next_try_ns_ = 0;     // for a lane, after memory was refused
    std::uint64_t module_changes_ = 0; // when it was last looked at
    std::vector<Module> modules_;      // that the file names since the start
    std::uint32_t lives_ = 0;          // lanes begun
    std::uint64_t past_calls_ = 0;     // of lives that ended
    std::uint64_t past_records_ = 0;
    Ticks past_sealing_ = 0;
    Ticks past_stalled_ = 0;
    Ticks past_test_overhead_ = 0;
    std::array<std::uint64_t, delay_bases> past_delays_{};
};

extern Session* session; // nullptr: this process is not recorded

// From now on every MPI call of this process goes straight to the MPI.
void step_aside();
// Asks to be called at the end of MPI_Finalize; after MPI_Init.
void watch_finalize();

// One of our non-blocking operations; false when the deadline passed (it is then left as it is) or it failed.
bool complete_by(MPI_Request& request, std::int64_t deadline_ns);

std::uint32_t measure_overhead_ps();
// Over a millisecond: for costs, not for times.
double picoseconds_per_tick();

// VT_TIMER=LIST, on standard error.
void list_timers();

// VT_TEST_CLOCK: from now on this process's clocks are wrong.
TestClock use_test_clock(const std::string& option);
const std::string& test_host(); // what it calls this host; empty: nothing

} // namespace tactus
