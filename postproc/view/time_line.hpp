// A trace as pictures ask for it: what each thread did in slots of any width, from what was added up ahead where that
// is enough, else from the records. The answer is the same either way. Any thread may ask.
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

// A thread.
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
    std::vector<Stored> chunks;       // by width of their slots, then by number
    std::vector<IndexEntry> counters; // pieces of what they showed, the widest slots first; none: it has none
    // The widest slots of a level that are no wider than that.
    [[nodiscard]] unsigned fitting(unsigned width_bits) const;
    [[nodiscard]] const Stored* stored(unsigned width_bits, std::int64_t chunk) const; // nullptr: it is not
};

class TimeLine {
  public:
    // `trace` outlives it, and its clocks stay. What is not there yet is made, which takes some time: `tell` is told.
    explicit TimeLine(const Trace& trace, TimesShown times = TimesShown::measured, TellWork tell = {});

    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; } // by rank, then by lane
    [[nodiscard]] GlobalTime begin() const { return begin_; }               // of the first record
    [[nodiscard]] GlobalTime end() const { return end_; }

    [[nodiscard]] Slots slots(std::size_t line, std::int64_t first, unsigned width_bits, std::size_t count) const;
    // About how many records that takes, where none of it was asked for before.
    [[nodiscard]] double records_for(std::size_t line, std::int64_t first, unsigned width_bits,
                                     std::size_t count) const;

    // The spans that lie in [from, to) at least in part, whole, from the last to the first.
    using TakeSpan = std::function<void(const Span&)>;
    void read_back(std::size_t line, GlobalTime from, GlobalTime to, const TakeSpan& take) const;

    // What the counters showed in whole slots from `from` to `to`, added up in these or given several times.
    using TakeCounter = std::function<void(const CounterSum&)>;
    void counters(std::size_t line, unsigned width_bits, GlobalTime from, GlobalTime to, const TakeCounter& take) const;

    // Messages, waits and collectives (postproc/view/link_store.hpp), which are made when they are asked for first.
    [[nodiscard]] const LinkStore& links() const;
    [[nodiscard]] std::uint32_t rank_of(const Line& line) const { return trace_.ranks[line.rank].header().rank; }

    [[nodiscard]] const Trace& trace() const { return trace_; }
    // Blocks that could not be read so far.
    [[nodiscard]] std::vector<Error> problems() const;
    void note(const Error& error) const;

  private:
    using SharedSlots = RecentlyUsed<Slots>::Shared;

    void make_missing(const std::vector<std::size_t>& ranks, TimesShown times);
    void add_lines(std::size_t rank);
    void read_frames(Line& line, const IndexEntry& entry);
    // The chunks of which slots come.
    struct Chunks {
        unsigned width_bits = 0; // of their slots, if they are stored,
        unsigned made_bits = 0;  // or were made
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
