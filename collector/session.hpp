// The recording of this process, of which there is only one. It is made at the first MPI call and never destroyed. It
// starts at the end of MPI_Init, or when a communicator of all processes was made from an MPI session. It is closed
// once, by MPI_Finalize, MPI_Abort, a signal or exit, whichever comes first. session.cpp implements the whole class.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/options/options.hpp"
#include "collector/clocks.hpp"
#include "collector/lanes.hpp"
#include "collector/process_state.hpp"
#include "collector/session_world.hpp"
#include "trace/definitions.hpp"
#include "writer/rank_writer.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

class Session {
  public:
    Session();

    // --- The parts of the session. Any thread may use them, except where a part itself says otherwise.
    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Header& header() const { return header_; }
    [[nodiscard]] MPI_Comm comm() const { return comm_; } // tactus's communicator of all ranks, with MPI_ERRORS_RETURN
    [[nodiscard]] LossCounters& losses() { return losses_; }
    [[nodiscard]] RankWriter& writer() { return writer_; }
    [[nodiscard]] Lanes& lanes() { return lanes_; }
    [[nodiscard]] Clocks& clocks() { return clocks_; }

    // --- The state of the session. These are hints; the relaxed loads pair with nothing.
    [[nodiscard]] bool recording() const { return recording_.load(std::memory_order_relaxed); }
    // True between the ends of MPI_Init and of MPI_Finalize, or start_from_group() and end_mpi_session(),, on a rank
    // that has a file.
    [[nodiscard]] bool live() const { return recording() && started_.load(std::memory_order_relaxed); }
    // Whether start() is over.
    [[nodiscard]] bool begun() const { return begun_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool ended() const { return closed_.load(std::memory_order_relaxed); }

    // --- The beginning.
    // Called in the wrapper of MPI_Session_init.
    void begin_mpi_session();
    // Whether start_from_group() begins the recording, or began it.
    [[nodiscard]] bool is_of_sessions() const { return is_of_sessions_; }
    void report_use_after_end() const; // prints one line when the recording is over
    // Called by all ranks together in the wrapper of MPI_Init: agrees on a trace and opens this rank's file. Prints one
    // message when that fails. `world`: a communicator of all ranks, in the order of the ranks.
    void start(MPI_Comm world);
    // Whether the recording begins with a communicator that was made from the group of a session: the program did not
    // call MPI_Init, all processes of the run are in it, and it is the first such one. Any thread.
    bool takes_as_world(MPI_Comm comm);
    // Then calls start(). All processes call it together.
    void start_from_group();
    // Called in the child of a fork, which has the memory of its parent, but none of its threads, files and lanes.
    void abandon() { recording_ = false; }

    // --- The end.
    // Registers the function that makes another library (the NCCL plugin) stop storing into lanes of this process. It
    // is called once, before the file is closed. It returns false when the library did not stop within `patience_ns`
    // and may still be storing.
    void at_end(bool (*end)(std::int64_t patience_ns)) { end_of_borrower_ = end; }
    // Seals the lanes and closes the file. Only the first call does anything. When a signal handler interrupted
    // tactus's own code, the call does nothing, and the file stays as it would after a kill.
    void close(Ending ending);
    // The last step, called by all ranks together, including those whose file could not be opened. It measures the
    // clocks once more and finishes the trace, and rank 0 writes the manifest.
    void finish();
    // Called in the wrapper of MPI_Session_finalize. Where start_from_group() began the recording, it ends with the
    // last session that is open: later MPI may no longer work.
    void end_mpi_session();
    // Called at exit: prints one line when there is no trace although MPI was used.
    void explain_missing_trace() const;

  private:
    // Values that the ranks add up for the manifest.
    struct Sums {
        static constexpr std::size_t losses = 3;
        std::array<std::uint64_t, losses + loss_count> values{}; // calls, records, bytes, then each loss
    };

    void make_comm(MPI_Comm world, std::int64_t patience_ns);
    bool agree_on_trace(std::int64_t patience_ns); // false: no rank has a trace
    bool open_trace(MPI_Comm world);               // false: this rank has no file
    void fill_header(MPI_Comm world);
    Outcome open_where_seen_late(const std::string& path, const Definitions& first);
    void stop_recording();
    [[nodiscard]] Definitions closing_definitions(Ending ending);
    void report_losses(bool closed_well);
    bool finish_clocks(std::int64_t deadline_ns);
    void write_manifest(const Sums& sums) const;

    LossCounters losses_;
    RankWriter writer_;
    const Options options_;
    MPI_Comm comm_{};
    Header header_;
    std::string directory_; // of the trace
    Lanes lanes_;
    Clocks clocks_;
    SyncSettings sync_settings_; // rank 0's
    SessionWorld session_world_;
    std::atomic<bool> has_mpi_session_{false};
    std::atomic<int> open_mpi_sessions_{0};
    std::atomic<bool> is_of_sessions_{false}; // start_from_group() begins the recording
    std::atomic<bool> recording_{true};
    std::atomic<bool> started_{false}; // the file is open
    std::atomic<bool> begun_{false};
    std::atomic<bool> closed_{false};
    std::atomic<bool (*)(std::int64_t)> end_of_borrower_{nullptr};
    Ticks starting_ = 0;           // how long start() took
    bool closed_in_order_ = false; // the file was closed without an error
    std::vector<Sampling> sampling_;
    bool samples_calls_ = false;
    std::vector<Anchor> anchors_; // the first and, once the file is closed, the last
};

// From now on every MPI call of this process goes straight to the MPI.
void step_aside();
// Makes MPI_Finalize close and finish the session. Call it after MPI_Init.
void watch_finalize();
// Closes and finishes the session. All ranks call it together, where MPI still works and nothing more will be recorded.
void end_run();

// What recording a call costs, in picoseconds; 0 when it cannot be measured.
std::uint32_t measure_overhead_ps(MPI_Comm world);
// Measured over a millisecond, which is exact enough for costs but not for times.
double picoseconds_per_tick();

// For VT_TIMER=LIST: prints the timers on standard error.
void list_timers();

// For VT_TEST_CLOCK: makes the clocks of this process wrong from now on. The result is empty when they stay right.
TestClock use_test_clock(const std::string& option);
const std::string& test_host(); // the host name that VT_TEST_CLOCK gives; empty: none

} // namespace tactus
