// A thread's lane. The thread that owns it writes records in place and publishes them one by one. It seals a full
// buffer (encodes and compresses it) and hands it to the rank's writer. Only the owner calls anything here, except as
// noted.
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

    // The record of the call that is being made; nobody else reads it as a record before publish().
    [[nodiscard]] Record& slot() { return *next_; }
    // Gives a tick later than every stamp of this lane before it.
    [[gnu::always_inline]] Ticks stamp() {
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
    // Whether slot() holds the signature of the record just published, since begin_repeats(), and whether that is the
    // signature of this call of a local function.
    [[nodiscard]] bool repeats() const { return repeating_ == next_; }
    [[nodiscard]] bool repeats(Function function, const void* place) const {
        return repeats() && next_->what.place == reinterpret_cast<std::uintptr_t>(place) &&
               next_->what.function == function;
    }
    // Adds the call in slot(), which has its enter tick, to the record just published, which stands for equal calls.
    [[gnu::always_inline]] void add_equal_call(Ticks leave) {
        Record& before = next_[-1];
        before.what.bytes += leave - next_->enter;
        before.request += 1;
        before.leave = leave;
    }
    // The call in slot(), which was just added, is of a local function: the next one may be equal.
    void begin_repeats() { repeating_ = next_; }
    // The next call is not added to the record before it, as something happens in between.
    void end_repeats() { repeating_ = nullptr; }
    [[nodiscard]] std::uint32_t number() const { return header_->lane; }

    // Rare.

    // Publishes the record in slot() followed by its words; a list longer than a buffer becomes several records. Hot.
    void publish(std::span<const std::int64_t> words);
    // Stores a record of the tracer itself, between calls.
    void note(const Record& record, std::span<const std::int64_t> words = {});
    // The same for something that the owner did not do: the thread of another lane did, or no thread. Its leave is made
    // later than that of the record before it, if it is not.
    void store(const Record& record, std::span<const std::int64_t> words);
    // Counts what happened without being recorded; note_skipped() stores the counts.
    [[nodiscard]] Skipped& skipped() { return skipped_; }
    void note_skipped();
    // The next record begins before its predecessor ended, because it encloses that record.
    void reaches_back(Ticks enter) { earliest_ = enter < earliest_ ? enter : earliest_; }
    // Makes a block of everything published so far.
    void seal();
    // Begins a new life for another thread. The lane must have been sealed before.
    void begin_life(std::uint32_t number, std::uint32_t rank, std::uint64_t tid);
    void end_life();
    // Moves the lane into a file that survives the process; the file is removed when the lane is destroyed. False when
    // the directory has no room or refuses.
    bool protect(const std::string& directory);
    // The trace is complete without this lane: removes its file, but keeps its memory, which a late thread may still
    // write to.
    void unprotect() { memory_.remove_file(); }
    [[nodiscard]] bool is_protected() const { return memory_.in_file(); }
    void set_job(std::uint64_t job, std::uint32_t rank, const std::string& trace);
    // A call is set aside while another call is made inside it, and is then taken up again. `recorded`: it will be a
    // record.
    void set_aside(const Record& call, std::size_t level, bool recorded);
    const Record& aside(std::size_t level) const { return header_->outer[level]; }
    // To be called after the call's record, if it is recorded, has returned to slot().
    void take_up(std::size_t level, bool recorded);

    // Shows a region of VT.h to readers from outside: the one that has `outer` open regions around it. Hot.
    void show_region(std::size_t outer, Ticks enter, std::uint32_t symbol, std::int32_t scl, std::uint64_t place) {
        if (outer < most_shown_regions) {
            LaneRegion& region = header_->region[outer];
            region.place = place;
            region.symbol = symbol;
            region.scl = scl;
            region.enter.store(enter, std::memory_order_release); // pairs with read_lane, as the next
        }
        header_->regions.store(outer + 1, std::memory_order_release);
    }
    // Only the outermost `open` regions are still open. Hot.
    void show_regions(std::size_t open) { header_->regions.store(open, std::memory_order_release); }

    // The owner records nothing from now on, or records again (VT_traceoff).
    void set_off(bool off) { off_since_.store(off ? now() : 0, std::memory_order_relaxed); }

    // Any thread may call these four while the owner goes on.
    [[nodiscard]] Ticks off_since() const { return off_since_.load(std::memory_order_relaxed); } // 0: it records
    void beat(Ticks tick, std::uint64_t unprotected_lanes) {
        header_->alive.store(tick, std::memory_order_relaxed); // pairs with nothing, like the next store
        header_->unprotected.store(unprotected_lanes, std::memory_order_relaxed);
    }
    [[nodiscard]] Result<LaneContents> contents() const;
    // Whether the owner seems to be in a call that will be a record.
    [[nodiscard]] bool in_call() const;
    // The pages that the calls of sealed blocks came from.
    [[nodiscard]] const CallPages& pages() const { return encoder_.pages(); }

    // Any thread may read these.
    [[nodiscard]] std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }     // of sealed blocks
    [[nodiscard]] std::uint64_t records() const { return records_.load(std::memory_order_relaxed); } // of sealed blocks

  private:
    Lane(RankWriter& writer, LaneMemory memory);
    void advance(std::size_t slots) {
        next_ += slots;
        // Pairs with the acquire of a reader of this lane, while this process runs or after it.
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
    Record* repeating_ = nullptr; // the slot that holds the signature of the record before it
    Ticks last_ = 0;
    Ticks earliest_ = ~Ticks{0}; // earliest enter of the records in this buffer that reach back
    Skipped skipped_;
    Record stall_;           // a stall that is not noted yet; leave 0: none
    bool of_others_ = false; // the records do not say when the owner was at work
    std::size_t active_ = 0;
    std::uint64_t sequence_ = 0;
    std::atomic<Ticks> off_since_{0};
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint64_t> records_{0};
    BlockEncoder encoder_;
    SealedBlock sealed_[buffers_per_lane];
};

} // namespace tactus
