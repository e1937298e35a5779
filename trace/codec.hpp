// Encodes records as the content of a block, and decodes them. The content is columns of small numbers and a dictionary
// of signatures, so that a call made again with the same arguments costs one small number. docs/format.md describes the
// columns.
//
//   content: { column number (1 byte), size (varint) } ... 0 · the columns, in that order
//
// BlockEncoder belongs to one lane and allocates only when it is made. The decoders trust nothing in their input.
#pragma once

#include "trace/block.hpp"
#include "trace/record.hpp"
#include "trace/stretch.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tactus {

enum class Column : std::uint8_t {
    enter = 1,
    duration = 2,
    signature = 3,
    request = 4,
    completion = 5,
    completion_bytes = 6,
    completion_source = 7,
    completion_tag = 8,
    words = 9,
    repeats = 10,
    inside = 11,
    odd_times = 12,
    step = 13,
    // the dictionary: one column a field of Signature
    place = 32,
    bytes,
    comm,
    peer,
    tag,
    type,
    function,
    kind,
    flags,
    word_count,
};

struct ColumnText {
    Column column;
    const char* meaning; // "zigzag": a zigzag varint; the others are plain ones
};
inline constexpr auto column_texts = std::to_array<ColumnText>({
    {Column::enter, "1 + zigzag (enter - leave before) / step, or 0: in 12"},
    {Column::duration, "1 + (leave - enter) / step, or 0: in 12"},
    {Column::signature,
     "0: the entry that came after the last one's when it came before, at first the next; or 1 + index"},
    {Column::request, "flag 1 or 2: zigzag request - (last of that flag + 1)"},
    {Column::completion, "of a wait without flag 2: (zigzag as in 4) * 2 + received"},
    {Column::completion_bytes, "received bytes"},
    {Column::completion_source, "zigzag source"},
    {Column::completion_tag, "zigzag tag"},
    {Column::words, "other words, zigzag"},
    {Column::repeats, "flag 4: calls"},
    {Column::inside, "flag 4: ticks inside"},
    {Column::odd_times, "zigzag"},
    {Column::step, "one number; 1 without"},
    {Column::place, "dictionary: zigzag place - entry before"},
    {Column::bytes, "bytes"},
    {Column::comm, "comm"},
    {Column::peer, "zigzag peer"},
    {Column::tag, "zigzag tag"},
    {Column::type, "type"},
    {Column::function, "function"},
    {Column::kind, "kind"},
    {Column::flags, "flags"},
    {Column::word_count, "words"},
});

// The pages of code that calls came from, which say which modules a trace needs. It forgets nothing: when there are too
// many pages, touch() is true for everything.
class CallPages {
  public:
    void add(std::uint64_t place) {
        const std::uint64_t page = place / page_size;
        for (std::size_t i = count_; i-- > 0;)
            if (pages_[i] == page) return;
        if (count_ == most)
            full_ = true;
        else
            pages_[count_++] = page;
    }
    [[nodiscard]] bool touch(std::uint64_t begin, std::uint64_t end) const {
        for (std::size_t i = 0; i < count_; ++i)
            if (pages_[i] >= begin / page_size && pages_[i] <= (end - 1) / page_size) return true;
        return full_;
    }

  private:
    static constexpr std::uint64_t page_size = 4096;
    static constexpr std::size_t most = 128;
    std::array<std::uint64_t, most> pages_{};
    std::size_t count_ = 0;
    bool full_ = false;
};

class BlockEncoder {
  public:
    // Takes the number of slots of one block, counting records and their continuations, and the timer's step.
    explicit BlockEncoder(std::size_t most_slots, Ticks step = 1);
    ~BlockEncoder();
    BlockEncoder(const BlockEncoder&) = delete;
    BlockEncoder& operator=(const BlockEncoder&) = delete;

    [[nodiscard]] bool ready() const; // false when memory was refused
    // The bytes that a block of most_slots can need at `out`.
    [[nodiscard]] std::size_t most_bytes() const;

    // Writes a whole block (header, payload, padding) of the slots to `out`, and gives its size. `header` names lane,
    // sequence, job and lost, and the first tick unless it is the first slot's enter; the rest is filled in. The slots
    // begin with a record, and the continuations of every record are among them.
    std::size_t encode(std::span<const Record> slots, BlockHeader header, std::uint8_t* out);
    // The pages that the calls of all blocks so far came from.
    [[nodiscard]] const CallPages& pages() const;

  private:
    struct Workspace;
    std::unique_ptr<Workspace> workspace_;
};

// Decoded records of one block; the words of record i are words[first_word[i]] and the following what.words of them.
struct RecordBlock {
    std::vector<Record> records;
    std::vector<std::uint64_t> first_word;
    std::vector<std::int64_t> words;

    [[nodiscard]] std::span<const std::int64_t> words_of(std::size_t record) const {
        return {words.data() + first_word[record], records[record].what.words};
    }
};

// Only the times and the signature of each record, for readers that need no more.
struct TimedBlock {
    struct Timed {
        Ticks enter = 0;
        Ticks leave = 0;
        std::uint32_t signature = 0; // in the dictionary
        bool operator==(const Timed&) const = default;
    };
    std::vector<Signature> dictionary; // `bytes` means nothing in entries with flag repeated: see `inside`
    std::vector<Timed> records;
    std::vector<Ticks> inside; // of each record with flag repeated, in their order
    // What the words of each record of Kind stretch say, in their order; one that is damaged has the length 0.
    std::vector<Stretch> stretches;
};
Result<TimedBlock> decode_times(const BlockHeader& header, ByteView content, TimedBlock room = {});

// `content` is what unpack_block gave for a block of kind records. `room` is a block that nobody needs any more; its
// memory is reused.
Result<RecordBlock> decode_records(const BlockHeader& header, ByteView content, RecordBlock room = {});

} // namespace tactus
