// A thread's lane: records are written in place by the thread that owns it and published one by one; a full buffer is
// sealed (encoded and compressed) by the owner and handed to the rank's writer. Only the owner calls anything here,
// except as noted.
#pragma once

#include "trace/codec.hpp"
#include "trace/lane_contents.hpp"
#include "trace/lane_counts.hpp"
#include "writer/lane_memory.hpp"
#include "writer/rank_writer.hpp"
#include "writer/skipped.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace tactus {

constexpr std::size_t slots_per_buffer = 4096; // 256 KiB
constexpr std::size_t buffers_per_lane = 2;

class Lane : public LaneCounts {
  public:
    // nullptr when memory is refused.
    static std::unique_ptr<Lane> make(RankWriter& writer);

    // Hot: used by every call.

    // Where the call now being made is written; nobody else reads it as a record before publish().
    [[nodiscard]] Record& slot() { return *next_; }
    // Later than every stamp of this lane before it.
    Ticks stamp() {
        const Ticks tick = now();
        last_ = tick > last_ ? tick : last_ + 1;
        return last_;
    }
    void publish() {
        advance(1);
        if (next_ == end_) [[unlikely]]
            turn_and_note();
    }
    // The record just published, when it still lies in this buffer; otherwise nullptr.
    // (A continuation begins with an unused word where a record has its enter tick.)
    [[nodiscard]] Record* latest() { return next_ == begin_ || next_[-1].enter == 0 ? nullptr : next_ - 1; }
    [[nodiscard]] std::uint32_t number() const { return header_->lane; }

    // Rare.

    // Publishes the record in slot() followed by its words; a list longer than a buffer becomes several records. Hot.
    void publish(std::span<const std::int64_t> words);
    // A record of the tracer's own, between calls.
    void note(const Record& record, std::span<const std::int64_t> words = {});
    // The same of something that another lane's thread did, or nobody's. Should it not leave behind the record before
    // it, it does now.
    void store(const Record& record, std::span<const std::int64_t> words);
    // What happened without being recorded; note_skipped() stores it.
    [[nodiscard]] Skipped& skipped() { return skipped_; }
    void note_skipped();
    // The next record begins before the one in front of it ended: it is around it.
    void reaches_back(Ticks enter) { earliest_ = enter < earliest_ ? enter : earliest_; }
    // Everything published so far becomes a block.
    void seal();
    // Begins a new life for another thread; sealed before.
    void begin_life(std::uint32_t number, std::uint32_t rank, std::uint64_t tid);
    void end_life();
    // Moves the lane into a file that survives the process; its file is removed when the lane is destroyed.
    bool protect(const std::string& directory);
    // The trace is complete without this lane: removes its file, keeps its memory, which a late thread may still write
    // to.
    void unprotect() { memory_.remove_file(); }
    [[nodiscard]] bool is_protected() const { return memory_.in_file(); }
    void set_job(std::uint64_t job, std::uint32_t rank, const std::string& trace);
    // A call is set aside while another one is made inside it, and taken up again. `recorded`: it will be a record.
    void set_aside(const Record& call, std::size_t level, bool recorded);
    const Record& aside(std::size_t level) const { return header_->outer[level]; }
    // Behind its record's return to slot(), when it is recorded.
    void take_up(std::size_t level, bool recorded);

    // By any thread, while the owner goes on.
    void beat(Ticks tick, std::uint64_t unprotected_lanes) {
        header_->alive.store(tick, std::memory_order_relaxed); // pairs with nothing, as the next
        header_->unprotected.store(unprotected_lanes, std::memory_order_relaxed);
    }
    [[nodiscard]] Result<LaneContents> contents() const;
    // Where sealed calls came from.
    [[nodiscard]] const CallPages& pages() const { return encoder_.pages(); }

    // Readable by any thread.
    [[nodiscard]] std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }     // of sealed blocks
    [[nodiscard]] std::uint64_t records() const { return records_.load(std::memory_order_relaxed); } // of sealed blocks

  private:
    Lane(RankWriter& writer, LaneMemory memory);
    void advance(std::size_t slots) {
        next_ += slots;
        // Pairs with the acquire of whoever reads this lane while, or after, this process runs.
        buffer_->filled.store(static_cast<std::uint64_t>(next_ - begin_), std::memory_order_release);
    }
    void put(std::span<const std::int64_t> words);
    void publish_in_pieces(std::span<const std::int64_t> words);
    void turn();
    void turn_and_note();
    void note_stall();
    void activate(std::size_t index);
    void encode(std::size_t index);

    RankWriter& writer_;
    LaneMemory memory_;
    LaneHeader* header_;
    Record* next_ = nullptr;
    Record* begin_ = nullptr;
    Record* end_ = nullptr;
    LaneBuffer* buffer_ = nullptr;
    Ticks last_ = 0;
    Ticks earliest_ = ~Ticks{0}; // of the records in this buffer that reach back
    Skipped skipped_;
    Record stall_;           // not yet noted; leave 0: none
    bool of_others_ = false; // its records say nothing of when the owner was at work
    std::size_t active_ = 0;
    std::uint64_t sequence_ = 0;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint64_t> records_{0};
    BlockEncoder encoder_;
    SealedBlock sealed_[buffers_per_lane];
};

} // namespace tactus
