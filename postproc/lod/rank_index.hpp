// The time line of a rank as blocks of a file: its own, or one beside the trace. Of several indexes in a file the one
// that was made by the clock in question holds; each lane has a block of frames, so that it is known to be whole.
#pragma once

#include "postproc/lod/lane_index.hpp"
#include "trace/rank_file.hpp"

#include <vector>

namespace tactus {

// What a block of kind time_line is: IndexEntry::records is part x 256 + width_bits, `sequence` the number of its
// chunk, `calls` the identity of the clock.
enum class TimeLinePart : std::uint8_t { frames, spans };
constexpr std::uint32_t time_line_key(TimeLinePart part, unsigned width_bits) {
    return static_cast<std::uint32_t>(part) << 8 | width_bits;
}

// Of the clock that an index was made by, and of how indexes are made.
std::uint64_t index_identity(const ProcessClock& clock);

struct RankIndex {
    std::vector<Bytes> blocks; // sealed
    std::vector<Error> unreadable;
};
RankIndex make_index(const RankFile& file, const ProcessClock& clock);

// Whether the file has all of it.
bool has_index(const RankFile& file, std::uint64_t identity);

// The content of a block of frames, and back.
Bytes encode_frames(const std::vector<Frame>& frames);
Result<std::vector<Frame>> decode_frames(ByteView bytes);

} // namespace tactus
