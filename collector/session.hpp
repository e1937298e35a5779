// The one recording of this process. Made at the first MPI call, never destroyed; started at the end of MPI_Init;
// closed once, by whichever comes first: MPI_Finalize, MPI_Abort, a signal, or exit. session.cpp has all of it.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/options/options.hpp"
#include "collector/clocks.hpp"
#include "collector/lanes.hpp"
#include "collector/process_state.hpp"
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

    // --- What it is made of. Any thread, except where the parts themselves say otherwise.
    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Header& header() const { return header_; }
    [[nodiscard]] MPI_Comm comm() const { return comm_; } // private, of all ranks, MPI_ERRORS_RETURN
    [[nodiscard]] LossCounters& losses() { return losses_; }
    [[nodiscard]] RankWriter& writer() { return writer_; }
    [[nodiscard]] Lanes& lanes() { return lanes_; }
    [[nodiscard]] Clocks& clocks() { return clocks_; }

    // --- Where it stands: hints, which pair with nothing.
    [[nodiscard]] bool recording() const { return recording_.load(std::memory_order_relaxed); }
    // Between the end of MPI_Init and the end of MPI_Finalize, on a rank that has a file.
    [[nodiscard]] bool live() const { return recording() && started_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool ended() const { return closed_.load(std::memory_order_relaxed); }

    // --- The beginning.
    // The program called MPI_Session_init.
    void note_mpi_session() { has_mpi_session_ = true; }
    // All ranks together, in MPI_Init's wrapper: agrees on a trace and opens this rank's file. On failure says why,
    // once.
    void start();
    // This process is the child of a fork: it has the memory of its parent, but no thread, file or lane.
    void abandon() { recording_ = false; }

    // --- The end.
    // Somebody else stores into lanes of ours until then: called once, before the file is closed. False: it was not in
    // time, and may be storing still.
    void at_end(bool (*end)(std::int64_t patience_ns)) { end_of_borrower_ = end; }
    // Seals what is there, and closes the file. Only the first call does anything; and none at all when the end comes,
    // by a signal handler, in the middle of our own work: the file then stays as after a kill.
    void close(Ending ending);
    // The last step, all ranks together, also those whose file could not be opened: clocks are measured once more, the
    // trace is finished, and rank 0 writes the manifest.
    void finish();
    // At exit: one line when there is no trace although MPI was used.
    void explain_missing_trace() const;

  private:
    // What all ranks add up for the manifest.
    struct Sums {
        static constexpr std::size_t losses = 3;
        std::array<std::uint64_t, losses + loss_count> values{}; // calls, records, bytes, then each loss
    };

    void make_comm(std::int64_t patience_ns);
    bool agree_on_trace(std::int64_t patience_ns); // false: there is none, on any rank
    bool open_trace();                             // false: not on this rank
    void fill_header();
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
    std::atomic<bool> has_mpi_session_{false};
    std::atomic<bool> recording_{true};
    std::atomic<bool> started_{false}; // the file is open
    std::atomic<bool> closed_{false};
    std::atomic<bool (*)(std::int64_t)> end_of_borrower_{nullptr};
    Ticks starting_ = 0;           // that MPI_Init took longer
    bool closed_in_order_ = false; // the file
    std::vector<Anchor> anchors_;  // the first and, once the file is closed, the last
};

// From now on every MPI call of this process goes straight to the MPI.
void step_aside();
// Asks to be called at the end of MPI_Finalize; after MPI_Init.
void watch_finalize();

std::uint32_t measure_overhead_ps();
// Over a millisecond: for costs, not for times.
double picoseconds_per_tick();

// VT_TIMER=LIST, on standard error.
void list_timers();

// VT_TEST_CLOCK: from now on this process's clocks are wrong.
TestClock use_test_clock(const std::string& option);
const std::string& test_host(); // what it calls this host; empty: nothing

} // namespace tactus
