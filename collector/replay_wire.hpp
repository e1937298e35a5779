// The wire of a replay that MPI processes play: in MPI_Finalize every rank plays itself, and under `tactus finish` each
// process plays a block of ranks. It uses PMPI, a communicator of tactus, and the thread that finalizes. Notes travel
// in batches. The processes sum what they sent and received. Nothing is under way any more when two such sums in a row
// are the same. A wire that is not ok() any more must never be destroyed, because the MPI may still read and write its
// memory.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "postproc/replay/wire.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace tactus {

class MpiReplayWire final : public ReplayWire {
  public:
    // This is `process` of the `seats.players` processes of `comm`. After `soon_ns` all processes together stop between
    // two steps; after `deadline_ns` the other processes are believed to be gone (both CLOCK_MONOTONIC).
    MpiReplayWire(MPI_Comm comm, std::uint32_t process, const Seats& seats, std::int64_t soon_ns,
                  std::int64_t deadline_ns)
        : comm_{comm}, process_{process}, seats_{seats}, soon_ns_{soon_ns}, deadline_ns_{deadline_ns},
          outgoing_(seats.players) {}

    [[nodiscard]] bool plays(std::uint32_t rank) const override { return seats_.of(rank) == process_; }
    [[nodiscard]] bool alone() const override { return seats_.players == 1; }
    [[nodiscard]] bool ok() const override { return ok_; }
    [[nodiscard]] bool is_late() const override;
    // Called once everything was played, when all that was sent has been received: completes the sends.
    void settle();
    void add_up(std::vector<std::uint64_t>& values) override;
    void find_most(std::vector<std::int64_t>& values) override;
    void post(std::uint32_t rank, const void* bytes, std::size_t size) override;
    bool collect(ReplayBytes& bytes, bool wait) override;

  protected:
    ReplayBytes exchange_bytes(const std::uint8_t* items, std::size_t size,
                               const std::vector<std::uint32_t>& to) override;

  private:
    using Bytes = ReplayBytes;
    struct Batch {
        Bytes bytes;
        MPI_Request request;
    };

    // Memory that lasts as long as the wire, unless it is freed earlier.
    std::uint8_t* keep(std::size_t size);
    bool complete(MPI_Request& request);
    bool reduce(void* values, std::size_t count, std::size_t size, MPI_Datatype type, MPI_Op op);
    bool exchange_sizes(const std::vector<Bytes>& parts, std::vector<std::uint64_t>& theirs);
    void send_batch(std::uint32_t to);
    void send_batches();
    void forget_sent();
    bool receive_batch(Bytes& bytes);
    bool is_quiet();

    MPI_Comm comm_;
    std::uint32_t process_;
    Seats seats_;
    std::int64_t soon_ns_;
    std::int64_t deadline_ns_;
    bool ok_ = true;
    std::deque<Bytes> kept_;            // memory that the MPI works on
    std::vector<Bytes> outgoing_;       // by process
    std::vector<std::uint32_t> filled_; // processes with something outgoing
    std::deque<Batch> sent_;            // not yet known to be complete
    // Counts of all batches so far.
    std::uint64_t sent_count_ = 0;
    std::uint64_t received_count_ = 0;
    // The sum under way (this process's counts and the result), and the result of the last one.
    bool summing_ = false;
    MPI_Request sum_request_{};
    std::uint64_t mine_[2] = {};
    std::uint64_t sums_[2] = {};
    std::uint64_t last_sums_[2] = {1, 0};
};

} // namespace tactus
