// A trace as pictures need it: what each thread did in slots of any width. It comes from the stored chunks where these
// are enough, else from the records; the answer is the same either way. Any thread may ask.
#pragma once

#include "postproc/view/link_store.hpp"
#include "postproc/view/rank_lines.hpp"
#include "postproc/view/recently_used.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace tactus {

// A line is a thread.
struct Line {
    std::size_t rank = 0; // index into Trace::ranks
    const ProcessClock* clock = nullptr;
    std::uint32_t lane = 0;
    LaneBlocks blocks;
    LaneTimes times;
    std::vector<Frame> frames;
    struct Stored {
        unsigned width_bits = 0;
        std::int64_t chunk = 0;
        IndexEntry entry;
    };
    std::vector<Stored> chunks;       // ordered by the width of their slots, then by number
    std::vector<IndexEntry> counters; // pieces of sums, the widest slots first; empty: the thread has no values
    std::vector<IndexEntry> no_core;  // likewise; empty: nothing is known of time without a core
    // The width of the widest level that has slots of 2^width_bits units or narrower ones; width_bits if there is none.
    [[nodiscard]] unsigned fitting(unsigned width_bits) const;
    [[nodiscard]] const Stored* stored(unsigned width_bits, std::int64_t chunk) const; // nullptr: it is not stored
};

class TimeLine {
  public:
    // `trace` must outlive it, and its clocks must not change. Indexes that do not exist are made, which takes some
    // time: `tell` is called before that.
    explicit TimeLine(const Trace& trace, TimesShown times = TimesShown::measured, TellWork tell = {});

    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; } // by rank, then by lane
    [[nodiscard]] GlobalTime begin() const { return begin_; }               // begin of the first record
    [[nodiscard]] GlobalTime end() const { return end_; }

    // What a line (an index in lines()) did in `count` slots of 2^width_bits units, from slot `first` on.
    [[nodiscard]] Slots slots(std::size_t line, std::int64_t first, unsigned width_bits, std::size_t count) const;
    // About how many records slots() would have to read if nothing is cached.
    [[nodiscard]] double records_for(std::size_t line, std::int64_t first, unsigned width_bits,
                                     std::size_t count) const;

    // Calls `take` for the spans that lie in [from, to) at least in part, from the last to the first. They are whole.
    using TakeSpan = std::function<void(const Span&)>;
    void read_back(std::size_t line, GlobalTime from, GlobalTime to, const TakeSpan& take) const;

    // Calls `take` with the sums of counters in [from, to), which is made of whole slots. A slot may have several sums
    // of the same counter.
    using TakeCounter = std::function<void(const CounterSum&)>;
    void counters(std::size_t line, unsigned width_bits, GlobalTime from, GlobalTime to, const TakeCounter& take) const;

    // Calls `take` with the sums of time without a core in [from, to): from the widest stored slots of at most
    // 2^width_bits units, else from the narrowest ones. `stored_bits` is the width of the sum's slot.
    using TakeNoCore = std::function<void(const NoCoreSum&, unsigned stored_bits)>;
    void no_core(std::size_t line, unsigned width_bits, GlobalTime from, GlobalTime to, const TakeNoCore& take) const;

    // Messages, waits and collectives (postproc/view/link_store.hpp). The first call makes them.
    [[nodiscard]] const LinkStore& links() const;
    [[nodiscard]] std::uint32_t rank_of(const Line& line) const { return trace_.ranks[line.rank].header().rank; }

    [[nodiscard]] const Trace& trace() const { return trace_; }
    // What could not be read so far.
    [[nodiscard]] std::vector<Error> problems() const;
    void note(const Error& error) const;

  private:
    using SharedSlots = RecentlyUsed<Slots>::Shared;

    bool find_or_make();
    bool make_missing(const std::vector<std::size_t>& ranks);
    void add_lines(std::size_t rank);
    void read_frames(Line& line, const IndexEntry& entry);
    // The chunks from which slots are made.
    struct Chunks {
        unsigned width_bits = 0; // width of the slots in stored chunks
        unsigned made_bits = 0;  // width of the slots in chunks that are made from records
        std::int64_t first = 0;
        std::int64_t end = 0;
        [[nodiscard]] unsigned time_bits() const { return width_bits + chunk_bits; } // of a chunk
    };
    [[nodiscard]] Chunks chunks_for(const Line& line, std::int64_t first, unsigned width_bits, std::size_t count) const;
    [[nodiscard]] SharedSlots known_chunk(std::size_t line, unsigned width_bits, std::int64_t chunk) const;
    void make_chunks(std::size_t line, unsigned width_bits, unsigned time_bits, std::int64_t first,
                     std::vector<SharedSlots>& chunks) const;
    [[nodiscard]] std::size_t last_block_for(const Line& line, GlobalTime to, std::vector<TimedBlock>& read) const;
    TimedBlock read(const Line& line, std::size_t block, TimedBlock room = {}) const;

    const Trace& trace_;
    TimesShown times_;
    TellWork tell_;
    std::vector<RankLines> ranks_;
    mutable std::once_flag links_made_;
    mutable std::optional<LinkStore> links_;
    std::vector<SpanFunctions> functions_; // by rank
    std::vector<CounterValues> values_;    // by rank
    std::vector<Line> lines_;
    GlobalTime begin_ = 0;
    GlobalTime end_ = 0;
    mutable RecentlyUsed<Slots> cache_{std::size_t{512} << 20};
    mutable std::mutex problems_lock_;
    mutable std::vector<Error> problems_;
};

} // namespace tactus
