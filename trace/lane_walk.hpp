// Goes through the records of one lane in the order in which they were stored, with one block in memory at a time.
// Pieces of a record that was too long for one block are joined. A block that cannot be read is named and passed over:
// the rest of the lane still counts.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <span>
#include <utility>
#include <vector>

namespace tactus {

using LaneBlocks = std::span<const IndexEntry>;

// The record blocks of a file, lane by lane, without the lane of samples.
std::vector<LaneBlocks> lanes_of(const RankFile& file);
// The blocks of the lane of samples (trace/sample.hpp); none if nothing was sampled.
LaneBlocks samples_of(const RankFile& file);

// From the earliest enter in the blocks to the latest leave. Without blocks it ends before it begins.
struct TickSpan {
    Ticks first = ~Ticks{0};
    Ticks last = 0;
};
TickSpan span_of(LaneBlocks blocks);

// Whether the lane is that of a thread of the application, rather than one with nothing but what NCCL did on a GPU or
// in NCCL's own threads. For a lane without calls this reads a block.
bool is_thread(const RankFile& file, LaneBlocks lane);

class LaneWalk {
  public:
    // `file` and `blocks` outlive the walk.
    LaneWalk(const RankFile& file, LaneBlocks blocks) : file_{&file}, blocks_{blocks} {}
    // A copy would have the words of the original's block.
    LaneWalk(const LaneWalk&) = delete;
    LaneWalk(LaneWalk&&) = default;
    LaneWalk& operator=(const LaneWalk&) = delete;
    LaneWalk& operator=(LaneWalk&&) = default;
    ~LaneWalk() = default;

    // Goes to the next record; false when there is none.
    [[nodiscard]] bool next() {
        if (index_ == block_.records.size() || goes_beyond_slot(block_.records[index_])) return next_with_words();
        sealed_ = std::exchange(ended_, 0);
        own_words_ = {};
        joined_ = false;
        ++index_;
        return true;
    }
    [[nodiscard]] const Record& record() const { return joined_ ? record_ : block_.records[index_ - 1]; }
    [[nodiscard]] Words words() const { return joined_ ? Words{words_} : own_words_; }
    // The number of records of the block that was sealed between the previous record and this one; 0: none was.
    [[nodiscard]] std::uint64_t sealed() const { return sealed_; }
    [[nodiscard]] std::uint32_t lane() const { return blocks_.empty() ? 0 : blocks_.front().lane; }
    [[nodiscard]] const std::vector<Error>& unreadable() const { return unreadable_; }

  private:
    static bool goes_beyond_slot(const Record& record) {
        return record.what.words > 0 || record.what.kind == Kind::more;
    }
    bool next_with_words();
    bool load();
    bool at_record() { return index_ < block_.records.size() || load(); }

    const RankFile* file_;
    LaneBlocks blocks_;
    std::size_t next_block_ = 0;
    RecordBlock block_;
    std::size_t index_ = 0;
    Words own_words_; // of the record, in its block
    // Whether the record and its words were copied here, because they had pieces or ended their block.
    bool joined_ = false;
    Record record_;
    std::vector<std::int64_t> words_;
    std::vector<Error> unreadable_;
    std::uint64_t ended_ = 0; // records of the blocks that ended since the last record
    std::uint64_t sealed_ = 0;
};

} // namespace tactus
