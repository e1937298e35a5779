// Reads one rank's file, whole or cut, and a trace directory of such files. It is used offline and at the end of the
// run. One thread opens and changes an object; then several may read it at the same time.
//
//   rank file: header block · definitions · record blocks, definitions and parts of the index in between ·
//              closing definitions · last part of the index · tail
//   tail: offset of the last part of the index, end magic (8 bytes each)
//
// Without a tail (the process was killed, the file was cut) the blocks are found by scanning; damage() lists what had
// to be skipped. Of two blocks with the same lane and sequence the fuller one holds. Every error names file and byte.
#pragma once

#include "base/input_file.hpp"
#include "trace/block.hpp"
#include "trace/codec.hpp"
#include "trace/definitions.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tactus {

constexpr std::uint64_t tail_magic = 0x31444e4554434154; // "TACTEND1"
struct Tail {
    std::uint64_t index_offset = 0;
    std::uint64_t magic = tail_magic;
};

struct IndexEntry {
    std::uint64_t offset = 0;
    BlockKind kind{};
    std::uint32_t lane = 0;
    std::uint64_t sequence = 0;
    Ticks first = 0;
    Ticks last = 0;
    std::uint64_t records = 0;
    std::uint64_t calls = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("offset", self.offset);
        field("kind", self.kind);
        field("lane", self.lane);
        field("sequence", self.sequence);
        field("first", self.first);
        field("last", self.last);
        field("records", self.records);
        field("calls", self.calls);
    }
};
// The index is written in parts, so that a rank's memory does not grow with its file.
struct Index {
    std::vector<IndexEntry> blocks;
    std::uint64_t previous = 0; // offset of the part before this one; 0: this is the first
    static constexpr void fields(auto& self, auto&& field) {
        field("blocks", self.blocks);
        field("previous", self.previous);
    }
};
// Gives the index entry of a block at that offset of the file.
IndexEntry entry_of(const BlockHeader& block, std::uint64_t offset);

class RankFile {
  public:
    // Reads header, index and definitions. A file without a tail is scanned.
    static Result<RankFile> open(const std::string& path);

    // From now on the file is open only during each read.
    void set_aside() { input_->set_aside(); }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] const Header& header() const { return header_; }
    // Everything defined anywhere in the file, with later definitions replacing earlier ones; anchors in time order.
    [[nodiscard]] const Definitions& definitions() const { return definitions_; }
    [[nodiscard]] bool closed() const { return closed_; } // the file ends in order, with a tail
    [[nodiscard]] const std::vector<Error>& damage() const { return damage_; }
    // Record blocks, sorted by lane and within a lane by sequence.
    [[nodiscard]] const std::vector<IndexEntry>& blocks() const { return blocks_; }
    // Sound blocks of all kinds but the index, sorted by offset, and the offset where the last of them ends.
    [[nodiscard]] const std::vector<IndexEntry>& all_blocks() const { return all_blocks_; }
    [[nodiscard]] std::uint64_t sound_end() const { return sound_end_; }
    // A communicator by the number that records use; nullptr when it is not defined.
    [[nodiscard]] const Comm* comm(std::uint32_t number) const;

    // Read and decode a block. For `room` see decode_records().
    [[nodiscard]] Result<RecordBlock> read(const IndexEntry& block, RecordBlock room = {}) const;
    [[nodiscard]] Result<TimedBlock> read_times(const IndexEntry& block, TimedBlock room = {}) const;
    // Tells the system that these blocks, which follow each other in the file, will be read soon.
    void expect(std::span<const IndexEntry> blocks) const;
    // Gives the content of a block of kind time_line.
    [[nodiscard]] Result<Bytes> read_time_line(const IndexEntry& block) const;

    // Calls `take` for every record of every lane, lane by lane, in the order of their leave ticks, with its words
    // (pieces of a split record joined). Stops at the first block that cannot be read.
    using Take = std::function<void(std::uint32_t lane, const Record&, std::span<const std::int64_t> words)>;
    [[nodiscard]] Outcome for_each_record(const Take& take) const;

    // Converts a span of ticks to seconds of the rank's own clock.
    [[nodiscard]] double seconds(Ticks ticks) const { return 1e-9 * static_cast<double>(ticks) * ns_per_tick_; }
    // Maps the rank's ticks to global time: the clock that was set, else the stored one, else one by its host's date.
    [[nodiscard]] const ProcessClock& clock() const { return clock_; }
    void set_clock(ProcessClock clock) { clock_ = std::move(clock); }
    [[nodiscard]] ProcessClock stored_clocks() const; // by the host's date when there is no stored_clock()
    // nullptr when there is none, or none that is sound.
    [[nodiscard]] const TimeMap* stored_clock() const;
    [[nodiscard]] TimeMap clock_by_date(std::int64_t origin_realtime_ns) const;

  private:
    RankFile() = default;
    Outcome read_by_index(std::uint64_t index_offset);
    Outcome read_index(std::uint64_t index_offset);
    Outcome read_index_part(std::uint64_t offset, Index& part) const;
    [[nodiscard]] bool take_starts(std::uint64_t index_offset);
    void scan();
    [[nodiscard]] std::uint64_t next_magic(std::uint64_t offset) const;
    Outcome take_block(std::uint64_t offset, const BlockHeader& block);
    Outcome take_definitions(ByteView content, std::uint64_t offset);
    void append(Definitions&& more);
    void sort_definitions();
    void collect_from_records();
    [[nodiscard]] bool repeats_all_comms() const;
    void settle();
    [[nodiscard]] Error at(Error error, std::uint64_t offset) const;
    Result<Bytes> content(std::uint64_t offset, BlockHeader& header) const;
    Result<Bytes> content_of(const IndexEntry& entry, BlockHeader& header) const;

    std::string path_;
    std::shared_ptr<InputFile> input_;
    std::uint64_t size_ = 0;
    Header header_;
    Definitions definitions_;
    std::uint64_t definition_bytes_ = 0; // in all definitions blocks
    bool closed_ = false;
    std::vector<Error> damage_;
    std::vector<IndexEntry> blocks_;
    std::vector<IndexEntry> all_blocks_;
    std::uint64_t sound_end_ = 0;
    std::vector<std::uint64_t> starts_; // offsets of all blocks that the index names, and of the index itself
    double ns_per_tick_ = 1;
    ProcessClock clock_;
};

// "ranks/000/rank-000042.trace"
std::string rank_file_name(std::uint32_t rank);

// A trace directory. Nothing here needs the manifest, which is written last; the caller reads it.
struct Trace {
    std::string path;
    std::vector<RankFile> ranks; // in rank order
    std::vector<Error> problems; // files that are missing, of another run, unreadable or cut; the rest is usable

    // Gives an error when nothing of the trace can be used. Files of another run are left out and named.
    static Result<Trace> open(const std::string& path);
    GlobalTime zero = 0; // the time of the earliest start anchor, by the ranks' clocks
    // Seconds since `zero`.
    [[nodiscard]] double seconds(const RankFile& rank, Ticks tick) const {
        return 1e-9 * ns_from(zero, rank.clock().at(tick));
    }
    // Computes `zero` again. To be called whenever a clock was set.
    void settle_zero();
    // The date of global time 0: that of the start anchor of rank 0, or of the first rank that has a file.
    [[nodiscard]] std::int64_t origin_realtime_ns() const { return ranks.front().header().start.realtime_ns; }
    // One more than the highest rank that the trace has, or that a rank of it says there was.
    [[nodiscard]] std::uint32_t world_size() const;
    [[nodiscard]] std::int64_t first_realtime_ns() const; // of the earliest start anchor
    [[nodiscard]] bool finished() const;                  // every rank is there and closed in order

  private:
    void take_clocks();
};

} // namespace tactus
