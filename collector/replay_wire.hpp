// The wire of a replay whose ranks are played by MPI processes: in MPI_Finalize every rank plays itself, under `tactus
// finish` each process a block of them. On a communicator of our own, by PMPI, in the thread that finalizes. Letters
// travel in batches; that nothing is under way any more is found out by two sums in a row of what was sent and
// received, which are the same. One that is not ok() any more must never be destroyed: the MPI may still read and write
// what it holds.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "postproc/replay/wire.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace tactus {

class MpiReplayWire final : public ReplayWire {
  public:
    // `process` of `seats.players`, all of `comm`. `soon_ns`: when to stop between two steps, all processes together;
    // `deadline_ns`: when to believe that others are gone.
    MpiReplayWire(MPI_Comm comm, std::uint32_t process, const Seats& seats, std::int64_t soon_ns,
                  std::int64_t deadline_ns)
        : comm_{comm}, process_{process}, seats_{seats}, soon_ns_{soon_ns}, deadline_ns_{deadline_ns},
          outgoing_(seats.players) {}

    [[nodiscard]] bool plays(std::uint32_t rank) const override { return seats_.of(rank) == process_; }
    [[nodiscard]] bool alone() const override { return seats_.players == 1; }
    [[nodiscard]] bool ok() const override { return ok_; }
    [[nodiscard]] bool is_late() const override;
    // Once everything was played: what was sent has been received.
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

    // Stays as long as the wire, unless it is given back.
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
    std::deque<Bytes> kept_;            // what the MPI works on
    std::vector<Bytes> outgoing_;       // by process
    std::vector<std::uint32_t> filled_; // processes with something outgoing
    std::deque<Batch> sent_;            // not yet known to be complete
    // Batches, ever.
    std::uint64_t sent_count_ = 0;
    std::uint64_t received_count_ = 0;
    // The sum that is being made, and the last one.
    bool summing_ = false;
    MPI_Request sum_request_{};
    std::uint64_t mine_[2] = {};
    std::uint64_t sums_[2] = {};
    std::uint64_t last_sums_[2] = {1, 0};
};

} // namespace tactus
