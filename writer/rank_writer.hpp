// Writes one rank's file. Blocks are handed over sealed. A background thread writes them or, when a buffer is needed at
// once, the thread that needs it. Any thread may call; nothing here is on the hot path.
#pragma once

#include "base/bell.hpp"
#include "trace/definitions.hpp"
#include "trace/lane_file.hpp"
#include "trace/rank_file.hpp"
#include "writer/kept_file.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <span>
#include <string>

namespace tactus {

// Counts what was lost, by Loss. All threads of the process share it.
class LossCounters {
  public:
    void add(Loss loss, std::uint64_t count = 1) {
        counts_[static_cast<std::size_t>(loss)].fetch_add(count,
                                                          std::memory_order_relaxed); // a statistic, pairs with nothing
    }
    [[nodiscard]] std::vector<std::uint64_t> values() const;

  private:
    std::array<std::atomic<std::uint64_t>, loss_count> counts_{};
};

// A sealed block on its way to the file. Owned by a lane, one for each of its buffers.
struct SealedBlock {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size = 0;
    IndexEntry entry;
    LaneBuffer* buffer = nullptr; // marked as written when the block is in the file
    // Cleared with release when the block is written; pairs with the owner's acquire before it reuses the buffer.
    std::atomic<bool> pending{false};
    bool refused = false; // the file system refused it; written before `pending` is cleared
    bool queued = false;  // still in the queue: nobody is writing it yet
    SealedBlock* next = nullptr;
};

class RankWriter {
  public:
    RankWriter(LossCounters& lost, std::uint64_t job);
    RankWriter(const RankWriter&) = delete;
    RankWriter& operator=(const RankWriter&) = delete;

    // Creates the file with its header. Blocks that were submitted before are written from now on. The directory must
    // exist.
    Outcome open(const std::string& path, const Header& header, const Definitions& first);
    // Goes on with a file that was never closed: what lies after `end` is cut off, and `blocks` are the blocks before.
    Outcome reopen(const std::string& path, std::uint64_t job, std::uint64_t end,
                   const std::vector<IndexEntry>& blocks);
    // Without this thread, every block is written by its owner when the buffer is needed, or at close. The thread calls
    // `errand` after every ring of the bell, and after as many nanoseconds as the last call of it returned.
    using Errand = std::int64_t (*)();
    void start_thread(Errand errand = nullptr, time_t seconds_between_anchors = 60);
    // On return the thread has done its last errand, unless the call comes from an errand.
    void stop_thread();
    // Async-signal-safe.
    void ring() { bell_.ring(); }
    [[nodiscard]] bool has_thread() const { return has_thread_.load(std::memory_order_relaxed); } // a hint

    // Queues a block for the background thread. The block still belongs to its lane.
    void submit(SealedBlock& block);
    // Returns when the block is in the file or given up. True when the caller had to wait or write.
    bool complete(SealedBlock& block);
    void count_loss(Loss loss, std::uint64_t count) { losses_.add(loss, count); }
    void add_definitions(const Definitions& definitions);
    // Returns when everything that is queued now has been written.
    void drain();
    // Writes a sealed block that no lane waits for. False when the file system refused it.
    bool add(ByteView block);

    // Writes what is still queued, then the closing definitions (with totals), the index and the tail. No thread may
    // submit any more. False when the file system refused; the file is still readable as a cut file.
    bool close(Definitions closing);
    // Appends to a file that was closed in order: sealed blocks, then definitions and a new tail take the place of the
    // old tail. False when the file system refused; the old tail is then put back.
    bool append_to_closed(std::span<const Bytes> blocks, const Definitions& more);

    [[nodiscard]] Ticks writing_ticks() const { return writing_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t blocks() const { return block_count_; }
    [[nodiscard]] std::uint64_t size() const { return end_; }
    [[nodiscard]] int last_errno() const { return last_errno_; }
    [[nodiscard]] std::uint64_t job() const { return job_; }
    void set_job(std::uint64_t job) { job_ = job; }

  private:
    static void* run(void* self);
    void loop();
    void write(SealedBlock& block);
    bool append(ByteView bytes, IndexEntry entry);
    bool append_bytes(ByteView bytes);
    bool write_index_part();
    bool write_end();
    bool close_file(bool good);
    void pop_and_write();

    LossCounters& losses_;
    std::uint64_t job_;
    pthread_mutex_t queue_lock_ = PTHREAD_MUTEX_INITIALIZER; // guards the queue and `queued`
    pthread_mutex_t file_lock_ = PTHREAD_MUTEX_INITIALIZER;  // guards the file's end and the index
    Bell bell_; // rings when something is queued, the errand is wanted, or it is time to stop
    pthread_cond_t written_ = PTHREAD_COND_INITIALIZER;
    SealedBlock* head_ = nullptr;
    SealedBlock* tail_ = nullptr;
    unsigned being_written_ = 0; // blocks that left the queue and are not in the file yet
    std::atomic<bool> stop_{false};
    time_t seconds_between_anchors_ = 0;
    Errand errand_ = nullptr;
    std::atomic<bool> has_thread_{false};
    pthread_t thread_{};
    KeptFile file_;
    int last_errno_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t block_count_ = 0;
    Index index_;                       // the last part of the index
    std::atomic<bool> has_tail_{false}; // closed in order, and further blocks are too late; set under file_lock_
    std::atomic<Ticks> writing_{0};
};

} // namespace tactus
