// Writing one rank's file: blocks are handed over sealed and written by a background thread, or, when their buffer is
// needed at once, by the thread that needs it. Any thread; nothing here is on the hot path.
#pragma once

#include "base/bell.hpp"
#include "trace/definitions.hpp"
#include "trace/lane_file.hpp"
#include "trace/rank_file.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <span>
#include <string>
#include <sys/types.h>

namespace tactus {

// How much of what was lost, by name; shared by all threads of the process.
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
    bool refused = false; // by the file system; written before `pending` is cleared
    bool queued = false;  // still in the queue, nobody writes it yet
    SealedBlock* next = nullptr;
};

class RankWriter {
  public:
    RankWriter(LossCounters& lost, std::uint64_t job);
    RankWriter(const RankWriter&) = delete;
    RankWriter& operator=(const RankWriter&) = delete;

    // Creates the file with its header; what was submitted before is written now. The directory exists.
    Outcome open(const std::string& path, const Header& header, const Definitions& first);
    // Goes on with a file that was never closed: what is behind `end` is cut off, `blocks` are those before it.
    Outcome reopen(const std::string& path, std::uint64_t job, std::uint64_t end,
                   const std::vector<IndexEntry>& blocks);
    // Without it every block is written by its owner when the buffer is needed, or at close. `errand` is called in it
    // after every ring of the bell, and once a second.
    void start_thread(void (*errand)() = nullptr, time_t seconds_between_anchors = 60);
    // When it returns, the thread has done its last errand, unless that is where the call comes from.
    void stop_thread();
    // Async-signal-safe.
    void ring() { bell_.ring(); }
    [[nodiscard]] bool has_thread() const { return has_thread_.load(std::memory_order_relaxed); } // a hint

    void submit(SealedBlock& block);
    // Returns when the block is in the file or given up; true when the caller had to wait or write.
    bool complete(SealedBlock& block);
    void count_loss(Loss loss, std::uint64_t count) { losses_.add(loss, count); }
    void add_definitions(const Definitions& definitions);
    // What is queued now is written on return.
    void drain();
    // A sealed block that no lane waits for. False when the file system refused it.
    bool add(ByteView block);

    // Writes what is still queued, then the closing definitions (with totals), the index and the tail. No thread may
    // submit any more. False when the file system refused: the file is still readable as a cut one.
    bool close(Definitions closing);
    // Once more, behind what was closed in order, in place of the tail: sealed blocks, then definitions. False when the
    // file system refused; the old tail is then put back.
    bool append_to_closed(std::span<const Bytes> blocks, const Definitions& more);

    [[nodiscard]] bool is_open() const { return file_ >= 0; }
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
    [[nodiscard]] int why_not_ours() const;
    bool write_end();
    bool close_file(bool good);
    void pop_and_write();

    LossCounters& losses_;
    std::uint64_t job_;
    pthread_mutex_t queue_lock_ = PTHREAD_MUTEX_INITIALIZER; // the queue and `queued`
    pthread_mutex_t file_lock_ = PTHREAD_MUTEX_INITIALIZER;  // the file's end and the index
    Bell bell_; // something is queued, or the errand is wanted, or it is time to stop
    pthread_cond_t written_ = PTHREAD_COND_INITIALIZER;
    SealedBlock* head_ = nullptr;
    SealedBlock* tail_ = nullptr;
    unsigned being_written_ = 0; // blocks that left the queue
    std::atomic<bool> stop_{false};
    time_t seconds_between_anchors_ = 0;
    void (*errand_)() = nullptr;
    std::atomic<bool> has_thread_{false};
    pthread_t thread_{};
    int file_ = -1;
    std::string path_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    int last_errno_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t block_count_ = 0;
    Index index_;                       // its last part
    std::atomic<bool> has_tail_{false}; // set with file_lock_; closed in order: what comes now is behind the end
    std::atomic<Ticks> writing_{0};
};

} // namespace tactus
