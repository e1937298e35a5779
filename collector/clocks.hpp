// The clock measurements of this process: which rank measures its clock against which other rank, the rounds of
// measurements, and at the end this rank's time map. The messages use PMPI and a communicator that is used for nothing
// else. Everything runs in the thread whose MPI or VT.h call caused it.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/options/options.hpp"
#include "clocksync/exchange.hpp"
#include "clocksync/fit.hpp"
#include "collector/process_state.hpp"
#include "trace/definitions.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <pthread.h>
#include <span>
#include <vector>

namespace tactus {

class Call;

// The settings of rank 0. They hold for all ranks, whatever the environments of the others say.
struct SyncSettings {
    std::uint64_t messages = 100;
    std::int64_t duration_ns = 0; // 0: barriers instead of messages
    std::int64_t period_ns = 0;   // 0: off
    Topology topology{};
    SyncedHost synced_host{};
    bool synced_cluster = false;
    Fit fit{};
    std::int64_t origin_realtime_ns = 0; // of rank 0's start anchor
};
SyncSettings sync_settings(const Options& options, const Anchor& start);

class Clocks {
  public:
    // Called by all ranks together in MPI_Init: finds out which ranks share a clock, and makes the first round.
    // `recorded` says that this rank has a file. All ranks are known to be there, so there is no deadline. An error of
    // the MPI ends all measuring for good.
    void start(const SyncSettings& settings, const Header& header, bool recorded);
    // VT_timesync: waits for all ranks and makes a round.
    void synchronize();
    // Called in each blocking collective of MPI_COMM_WORLD, so it is the same one on every rank. Makes a round when
    // VT_SYNC_PERIOD is over.
    void count_collective();
    // Called by all ranks together in MPI_Finalize, after the file was closed: makes the last round and computes this
    // rank's time map. Adds both to `more`. Returns false when the others did not come by `deadline_ns`
    // (CLOCK_MONOTONIC).
    bool finish(const ClockFacts& own, std::int64_t deadline_ns, Definitions& more);

    // Ends all measuring. `together` says that all ranks are here and nothing is under way, so the communicator can be
    // freed.
    void stop(bool together);

    [[nodiscard]] std::int64_t origin_realtime_ns() const { return settings_.origin_realtime_ns; } // of rank 0's start
    [[nodiscard]] bool usable() const { return comm_ != MPI_Comm{}; }
    [[nodiscard]] Ticks measuring() const { return measuring_.load(std::memory_order_relaxed); }

  private:
    // What each rank tells all others about its clock and its machine.
    struct Peer {
        std::uint64_t clock;    // the same for ranks that may share one
        std::uint64_t machine;  // the same for ranks that share cores
        std::uint32_t cores;    // of its machine
        std::uint32_t recorded; // 1: it has a file
        std::uint32_t same;     // 1: it has the clock of its host's leader, as a test at the start found
    };
    class Meeting;

    bool begin(const Header& header, bool recorded);
    bool learn_peers(const Header& header, bool recorded);
    void take_place();
    [[nodiscard]] bool is_crowded(std::uint32_t rank) const;
    bool compare_on_host();
    bool round(MPI_Comm comm, RoundReason reason, std::int64_t deadline_ns);
    bool round_of_messages(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns);
    bool round_of_barriers(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns);
    bool reject_and_repeat_wide_rounds(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns);
    bool find_usual_width(MPI_Comm comm, const SyncRound& round, std::int64_t deadline_ns, double& usual);
    bool repeat_while_wide(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns, double usual);
    bool serve_repeats(MPI_Comm comm, std::int64_t deadline_ns);
    bool gather(RoundReason reason, std::int64_t deadline_ns);
    void keep(SyncRound&& round);
    bool serve_children(Wire& wire, std::span<const std::uint32_t> children);
    [[nodiscard]] TimeMap map_by_date(const ClockFacts& facts) const;
    bool hand_map_on(MPI_Comm comm, const ClockFacts& facts, std::int64_t deadline_ns, TimeMap& map);
    bool renew_online(MPI_Comm comm);
    void note(Ticks begin, RoundReason reason);

    SyncSettings settings_;
    MPI_Comm comm_{}; // for rounds that all ranks come to
    std::uint32_t rank_ = 0;
    std::uint32_t ranks_ = 1;
    std::vector<Peer> peers_;
    ClockPlace place_;
    std::vector<bool> shared_;            // by rank: whether it has this rank's clock
    std::vector<std::uint32_t> children_; // ranks whose master this one is, in the order of serving
    std::vector<std::uint32_t> members_;  // ranks of this host that share this one's clock, or seem to
    bool at_once_ = false;                // one exchange serves all children, in turns
    RoundLimits limits_;                  // of one exchange, so that the whole round keeps to its limits
    bool speaks_ = false;                 // the first rank of its clock except rank 0, which prints messages
    bool crowded_ = false;                // this host, or the master's, has fewer cores than ranks
    std::vector<SyncRound> rounds_;
    std::uint32_t next_round_ = 0;
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER; // of rounds_ and next_round_: threads may be in two rounds
    std::atomic<double> narrowest_ns_{0};              // width of the best round so far; 0: none
    double ns_per_tick_ = 1;                           // approximate
    Timer timer_{};
    Ticks timer_resolution_ = 1;
    Anchor start_;
    std::atomic<Ticks> measuring_{0};

    // VT_SYNC_PERIOD
    std::uint64_t collectives_ = 0;
    std::uint64_t next_check_ = 1;
    std::uint64_t checked_at_ = 0;
    std::int64_t checked_ns_ = 0;
    std::atomic<std::int64_t> last_round_ns_{0};
};

// Called by wrappers after a blocking collective.
void after_collective(Call& call, MPI_Comm comm);

} // namespace tactus
