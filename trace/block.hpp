// A rank file is made of blocks. A block is a fixed header, then frames of zstd (or bare bytes), padded to eight bytes.
//
//   | BlockHeader, 88 bytes | stored_size bytes of payload | 0 to 7 zero bytes |
//
// Every block can be found by its magic, checked by its checksum and read without any other. Pure.
#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/ticks.hpp"

#include <cstdint>

namespace tactus {

enum class BlockKind : std::uint8_t { header = 1, records = 2, definitions = 3, index = 4, time_line = 5 };
enum class Packing : std::uint8_t { bare = 0, zstd = 1 };

struct BlockHeader {
    std::uint32_t magic = magic_value;
    std::uint16_t version = 1; // of this header; a larger one is refused
    BlockKind kind{};
    Packing packing = Packing::bare;
    std::uint32_t lane = 0;
    std::uint32_t records = 0;
    std::uint64_t sequence = 0; // of this lane's record blocks, from 0: a gap is a lost block
    Ticks first = 0;            // the earliest enter, also of records that began before the block
    Ticks last = 0;             // leave of the last record
    std::uint64_t calls = 0;
    std::uint64_t lost = 0; // calls of this lane lost so far
    std::uint64_t raw_size = 0;
    std::uint64_t stored_size = 0;
    std::uint64_t job = 0;      // of the run; a block of another run is not ours
    std::uint64_t checksum = 0; // XXH3 of this header with checksum 0, then of the payload seeded with that

    static constexpr std::uint32_t magic_value = 0x4b4c4254; // "TBLK"
};
static_assert(sizeof(BlockHeader) == 88);

constexpr std::uint64_t largest_raw_size = std::uint64_t{1} << 26; // a block that claims more is refused, not unpacked

// The largest content that this many stored bytes may have, so that a few hundred bytes cannot ask for
// largest_raw_size.
constexpr std::uint64_t most_content(std::uint64_t stored_size) { return (std::uint64_t{1} << 20) + 256 * stored_size; }

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 7) & ~std::uint64_t{7}; }

std::uint64_t checksum_of(const BlockHeader& header, ByteView payload);

// Gives a whole block (header, payload, padding) of the given content, compressed when that makes it smaller.
Bytes pack_block(BlockHeader header, ByteView content);

// Checks a header. The file has `available` bytes from the header's first byte on.
Outcome check_header(const BlockHeader& header, std::uint64_t available);

// Gives the content of a block whose header was checked. `payload` has stored_size bytes.
Result<Bytes> unpack_block(const BlockHeader& header, ByteView payload);

} // namespace tactus
