// The time line of a rank as blocks of a file: its own, or one beside the trace. Of several indexes in a file the one
// with the right identity holds; each lane has a block of frames, so that it is known to be whole.
#pragma once

#include "postproc/lod/lane_index.hpp"
#include "trace/rank_file.hpp"

#include <functional>
#include <vector>

namespace tactus {

// What a block of kind time_line is: IndexEntry::records is part x 256 + width_bits, `sequence` the number of its
// chunk, `calls` the identity of the index.
enum class TimeLinePart : std::uint8_t { frames, spans };
constexpr std::uint32_t time_line_key(TimeLinePart part, unsigned width_bits) {
    return static_cast<std::uint32_t>(part) << 8 | width_bits;
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

// The content of a block of frames, and back.
Bytes encode_frames(const std::vector<Frame>& frames);
Result<std::vector<Frame>> decode_frames(ByteView bytes);

} // namespace tactus
