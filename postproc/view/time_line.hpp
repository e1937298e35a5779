// A trace as pictures ask for it: what each thread did in slots of any width, from what was added up ahead where that
// is enough, else from the records. The answer is the same either way. Any thread may ask.
#pragma once

#include "postproc/view/link_store.hpp"
#include "postproc/view/rank_lines.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tactus {

// What was added up and may be asked for again, up to so many bytes: who was asked for last stays.
class ChunkCache {
  public:
    struct Key {
        std::uint64_t line = 0;
        unsigned width_bits = 0; // of its slots
        std::int64_t chunk = 0;  // of the level that fits these
        bool operator==(const Key&) const = default;
    };
    using Chunk = std::shared_ptr<const Slots>;

    explicit ChunkCache(std::size_t most_bytes) : most_bytes_{most_bytes} {}
    [[nodiscard]] Chunk find(const Key& key);
    void add(const Key& key, Chunk chunk);

  private:
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t hash = key.line * 64 + key.width_bits;
            hash = (hash ^ static_cast<std::uint64_t>(key.chunk) * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
            return hash ^ hash >> 32;
        }
    };
    using Order = std::list<std::pair<Key, Chunk>>; // who was asked for last is in front

    std::mutex lock_;
    Order order_;
    std::unordered_map<Key, Order::iterator, Hash> by_key_;
    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
};

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
    std::vector<Stored> chunks; // by width of their slots, then by number
    // The widest slots of a level that are no wider than that.
    [[nodiscard]] unsigned fitting(unsigned width_bits) const;
};

class TimeLine {
  public:
    // `trace` outlives it, and its clocks stay. Indexes that are not there yet are made, which takes some time.
    explicit TimeLine(const Trace& trace, TimesShown times = TimesShown::measured);

    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; } // by rank, then by lane
    [[nodiscard]] GlobalTime begin() const { return begin_; }               // of the first record
    [[nodiscard]] GlobalTime end() const { return end_; }

    [[nodiscard]] Slots slots(std::size_t line, std::int64_t first, unsigned width_bits, std::size_t count) const;

    // The spans that lie in [from, to) at least in part, whole, from the last to the first.
    using TakeSpan = std::function<void(const Span&)>;
    void read_back(std::size_t line, GlobalTime from, GlobalTime to, const TakeSpan& take) const;

    // Messages, waits and collectives (postproc/view/link_store.hpp), which are made when they are asked for first.
    [[nodiscard]] const LinkStore& links() const;
    template <class Take>
    void each_link(LinkKind kind, unsigned width_bits, GlobalTime from, GlobalTime to, const Take& take) const {
        for (const Error& error : links().each(kind, width_bits, from, to, take)) note(error);
    }
    [[nodiscard]] std::uint32_t rank_of(const Line& line) const { return trace_.ranks[line.rank].header().rank; }

    // Blocks that could not be read so far.
    [[nodiscard]] std::vector<Error> problems() const;

  private:
    void make_missing(const std::vector<std::size_t>& ranks, TimesShown times);
    void add_lines(std::size_t rank);
    void read_frames(Line& line, const IndexEntry& entry);
    [[nodiscard]] ChunkCache::Chunk known_chunk(std::size_t line, unsigned width_bits, std::int64_t chunk) const;
    void make_chunks(std::size_t line, unsigned width_bits, unsigned time_bits, std::int64_t first,
                     std::vector<ChunkCache::Chunk>& chunks) const;
    [[nodiscard]] std::size_t last_block_for(const Line& line, GlobalTime to, std::vector<TimedBlock>& read) const;
    TimedBlock read(const Line& line, std::size_t block, TimedBlock room = {}) const;
    void note(const Error& error) const;

    const Trace& trace_;
    TimesShown times_;
    std::vector<RankLines> ranks_;
    mutable std::once_flag links_made_;
    mutable std::optional<LinkStore> links_;
    std::vector<SpanFunctions> functions_; // by rank
    std::vector<Line> lines_;
    GlobalTime begin_ = 0;
    GlobalTime end_ = 0;
    mutable ChunkCache cache_{std::size_t{512} << 20};
    mutable std::mutex problems_lock_;
    mutable std::vector<Error> problems_;
};

} // namespace tactus
