// Records to the content of a block and back: columns of small numbers, and a dictionary of signatures, so that a call
// made again with the same arguments costs one small number. docs/format.md describes the columns.
//
//   content: { column number (1 byte), size (varint) } ... 0 · the columns, in that order
//
// BlockEncoder belongs to one lane and allocates only when it is made. decode_records trusts nothing.
#pragma once

#include "trace/block.hpp"
#include "trace/record.hpp"

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
    misses = 10,
    inside = 11,
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
    const char* meaning;
};
inline constexpr auto column_texts = std::to_array<ColumnText>({
    {Column::enter,
     "enter tick: zigzag varint, minus the record before's leave tick (the first: minus the block's first tick)"},
    {Column::duration, "leave minus enter: varint"},
    {Column::signature, "index in this block's dictionary: varint"},
    {Column::request, "records with flag 1 (starts) or 2 (completes): zigzag varint, minus (the last such number + 1), "
                      "each flag by itself"},
    {Column::completion, "each completion of a wait or test with flag 2 clear: varint, bit 0 = a receive, above it the "
                         "request as in column 4"},
    {Column::completion_bytes, "each completed receive: varint"},
    {Column::completion_source, "each completed receive: zigzag varint"},
    {Column::completion_tag, "each completed receive: zigzag varint"},
    {Column::words, "words of other records: zigzag varints"},
    {Column::misses, "records with flag 4 (misses): how many, varint"},
    {Column::inside, "records with flag 4 (misses): ticks inside, varint"},
    {Column::place, "dictionary, return address: zigzag varint, minus the entry before's"},
    {Column::bytes, "dictionary, bytes: varint"},
    {Column::comm, "dictionary, communicator: varint"},
    {Column::peer, "dictionary, peer or root: zigzag varint"},
    {Column::tag, "dictionary, tag: zigzag varint"},
    {Column::type, "dictionary, datatype: varint"},
    {Column::function, "dictionary, function: varint"},
    {Column::kind, "dictionary, kind of record: varint"},
    {Column::flags, "dictionary, flags: varint"},
    {Column::word_count, "dictionary, number of words: varint"},
});

class BlockEncoder {
  public:
    explicit BlockEncoder(std::size_t most_slots); // slots of one block: records and their continuations
    ~BlockEncoder();
    BlockEncoder(const BlockEncoder&) = delete;
    BlockEncoder& operator=(const BlockEncoder&) = delete;

    [[nodiscard]] bool ready() const; // false when memory was refused
    // Room that a block of most_slots can need at `out`.
    [[nodiscard]] std::size_t most_bytes() const;

    // Writes a whole block (header, payload, padding) of the slots to `out`; gives its size. `header` names lane,
    // sequence, job and lost, and the first tick unless it is the first slot's enter; the rest is filled in. Slots
    // begin with a record, and every record's continuations are there.
    std::size_t encode(std::span<const Record> slots, BlockHeader header, std::uint8_t* out);

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

// `content` is what unpack_block gave for a block of kind records.
Result<RecordBlock> decode_records(const BlockHeader& header, ByteView content);

} // namespace tactus
