// The index of a rank: its time line as blocks of a file, either of the rank's own file or of one in the cache. If a
// file has several indexes, the one with the right identity counts. Each lane has a block of frames as its last block,
// which shows that the lane is complete.
#pragma once

#include "postproc/lod/lane_index.hpp"
#include "postproc/lod/links.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace tactus {

// A block of kind time_line uses the fields of IndexEntry as follows. `records` is part x 256 + width_bits. `sequence`
// is the number of the chunk, or for sums the piece_number(). `calls` is the identity of the index.
enum class TimeLinePart : std::uint8_t { frames, spans, messages, waits, collectives, all_links, counters, no_core };
constexpr std::uint32_t time_line_key(TimeLinePart part, unsigned width_bits) {
    return static_cast<std::uint32_t>(part) << 8 | width_bits;
}
constexpr TimeLinePart part_of(const IndexEntry& entry) { return static_cast<TimeLinePart>(entry.records >> 8); }
constexpr unsigned width_bits_of(const IndexEntry& entry) { return static_cast<unsigned>(entry.records & 0xff); }
constexpr std::uint64_t piece_number(std::uint64_t piece, std::uint64_t sums) { return piece << 32 | sums; }
constexpr std::uint64_t sums_of(const IndexEntry& entry) { return entry.sequence & UINT32_MAX; }
// Sorts pieces of sums by rank or lane, and then by the width of slots, the widest first. Erases pieces
// that are there twice, because a process was killed while it wrote them.
template <class Piece> void put_in_order(std::vector<Piece>& pieces) {
    const auto before = [](const IndexEntry& a, const IndexEntry& b) {
        return std::tuple{a.lane, width_bits_of(b), a.sequence} < std::tuple{b.lane, width_bits_of(a), b.sequence};
    };
    std::sort(pieces.begin(), pieces.end(), before);
    const auto same = [&](const IndexEntry& a, const IndexEntry& b) { return !before(a, b) && !before(b, a); };
    pieces.erase(std::unique(pieces.begin(), pieces.end(), same), pieces.end());
}
constexpr TimeLinePart part_of(LinkKind kind) {
    constexpr std::array parts{TimeLinePart::messages, TimeLinePart::waits, TimeLinePart::collectives};
    return parts[static_cast<std::size_t>(kind)];
}

// A number that changes with everything an index depends on: the rank's blocks, its clock, and the way indexes are
// made.
std::uint64_t index_identity(const RankFile& file, const ProcessClock& clock);

struct RankIndex {
    std::vector<Bytes> blocks; // sealed
    std::vector<Error> unreadable;
};
using ClockOfLane = std::function<const ProcessClock&(std::size_t lane)>; // `lane` is an index in lanes_of(file)
// Makes the index of a rank. Blocks that cannot be read are left out, and their errors are in `unreadable`.
RankIndex make_index(const RankFile& file, std::uint64_t identity, const ClockOfLane& clock);

// Whether the index with this identity is complete among these blocks.
bool has_index(const RankFile& file, const std::vector<IndexEntry>& blocks, std::uint64_t identity);

// Links depend on the clocks of all ranks, so their identity, `run`, is made of those of all indexes. Blocks of links
// are pieces of a level: `lane` is the rank, and `first` and `last` are the global times between which the links lie.
// After the blocks of a rank, an empty block of part all_links shows that they are complete.
std::uint64_t run_identity(std::span<const std::uint64_t> index_identities);
// By the clocks that the trace has now.
std::uint64_t run_identity(const Trace& trace);
// All blocks of a rank, sealed.
std::vector<Bytes> link_blocks(const RankLinks& links, std::uint32_t rank, std::uint64_t job, std::uint64_t run);
// A single block, sealed; `number` counts the pieces of its rank, kind and width.
Bytes link_block(const LinkLevel& piece, LinkKind kind, std::uint32_t number, std::uint32_t rank, std::uint64_t job,
                 std::uint64_t run);
// The ranks whose blocks of links are complete among these blocks.
std::set<std::uint32_t> ranks_with_links(const std::vector<IndexEntry>& blocks, std::uint64_t run);

// Turn frames into the content of a block, and back.
Bytes encode_frames(const std::vector<Frame>& frames);
Result<std::vector<Frame>> decode_frames(ByteView bytes);

} // namespace tactus
