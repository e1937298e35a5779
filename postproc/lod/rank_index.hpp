// The time line of a rank as blocks of a file: its own, or one beside the trace. Of several indexes in a file the one
// with the right identity holds; each lane has a block of frames, so that it is known to be whole.
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

// What a block of kind time_line is: IndexEntry::records is part x 256 + width_bits, `sequence` the number of its
// chunk, or of a piece of links or counters and how many sums it has, `calls` the identity of the index.
enum class TimeLinePart : std::uint8_t { frames, spans, messages, waits, collectives, all_links, counters };
constexpr std::uint32_t time_line_key(TimeLinePart part, unsigned width_bits) {
    return static_cast<std::uint32_t>(part) << 8 | width_bits;
}
constexpr TimeLinePart part_of(const IndexEntry& entry) { return static_cast<TimeLinePart>(entry.records >> 8); }
constexpr unsigned width_bits_of(const IndexEntry& entry) { return static_cast<unsigned>(entry.records & 0xff); }
constexpr std::uint64_t piece_number(std::uint64_t piece, std::uint64_t sums) { return piece << 32 | sums; }
constexpr std::uint64_t sums_of(const IndexEntry& entry) { return entry.sequence & UINT32_MAX; }
// Pieces of links or counters by rank or lane, then the widest slots first; those that somebody who was killed while he
// wrote them left twice are there once.
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

// Of what an index is made of: the rank's records and its clock, and the way indexes are made.
std::uint64_t index_identity(const RankFile& file, const ProcessClock& clock);

struct RankIndex {
    std::vector<Bytes> blocks; // sealed
    std::vector<Error> unreadable;
};
using ClockOfLane = std::function<const ProcessClock&(std::size_t lane)>; // by its place in lanes_of(file)
RankIndex make_index(const RankFile& file, std::uint64_t identity, const ClockOfLane& clock);

// Whether there is all of it among these blocks.
bool has_index(const RankFile& file, const std::vector<IndexEntry>& blocks, std::uint64_t identity);

// Links depend on the clocks of all ranks: their identity, of all that are there. Their blocks are in pieces by time,
// `lane` is the rank, `first` and `last` are global times between which they lie. Behind them an empty block says that
// there is all of it.
std::uint64_t run_identity(std::span<const std::uint64_t> index_identities);
std::vector<Bytes> link_blocks(const RankLinks& links, std::uint32_t rank, std::uint64_t job, std::uint64_t run);
Bytes link_block(const LinkLevel& piece, LinkKind kind, std::uint32_t number, std::uint32_t rank, std::uint64_t job,
                 std::uint64_t run);
std::set<std::uint32_t> ranks_with_links(const std::vector<IndexEntry>& blocks, std::uint64_t run);

// The content of a block of frames, and back.
Bytes encode_frames(const std::vector<Frame>& frames);
Result<std::vector<Frame>> decode_frames(ByteView bytes);

} // namespace tactus
