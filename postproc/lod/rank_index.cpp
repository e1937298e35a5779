#include "postproc/lod/rank_index.hpp"

#include "trace/fields.hpp"

#include <algorithm>
#include <set>

namespace tactus {
namespace {

constexpr std::uint64_t way_of_making = 1; // counts up whenever indexes come out otherwise

struct Frames {
    std::vector<Frame> frames;
    static constexpr void fields(auto& self, auto&& field) { field("frames", self.frames); }
};

} // namespace

std::uint64_t index_identity(const RankFile& file, const ProcessClock& clock) {
    Bytes bytes;
    write_value(bytes, clock.fitted.knots);
    write_value(bytes, clock.refined.knots);
    write_value(bytes, clock.corrected.knots);
    for (const IndexEntry& block : file.blocks())
        for (const std::uint64_t number : {std::uint64_t{block.lane}, block.sequence, block.records, block.last})
            append_varint(bytes, number);
    return checksum_of(BlockHeader{.kind = BlockKind::time_line, .sequence = way_of_making}, bytes);
}

RankIndex make_index(const RankFile& file, std::uint64_t identity, const ClockOfLane& clock) {
    RankIndex index;
    BlockHeader header{.kind = BlockKind::time_line, .calls = identity, .job = file.header().job};
    const auto add = [&](TimeLinePart part, unsigned width_bits, std::int64_t chunk, ByteView content) {
        header.records = time_line_key(part, width_bits);
        header.sequence = static_cast<std::uint64_t>(chunk);
        Bytes block = pack_block(header, content);
        block.resize(padded(block.size()));
        index.blocks.push_back(std::move(block));
    };
    const SpanFunctions known{file.definitions()};
    const std::vector<LaneBlocks> lanes = lanes_of(file);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        header.lane = lanes[i].front().lane;
        const LaneTimes times = times_of(lanes[i], clock(i));
        const LaneIndex lane = index_lane(file, lanes[i], known, clock(i), times, [&](const LaneChunk& chunk) {
            add(TimeLinePart::spans, chunk.slots.width_bits, chunk.chunk, encode(chunk.slots));
        });
        add(TimeLinePart::frames, 0, 0, encode_frames(lane.frames));
        for (const Error& error : lane.unreadable) keep_error(index.unreadable, error);
    }
    return index;
}

bool has_index(const RankFile& file, const std::vector<IndexEntry>& blocks, std::uint64_t identity) {
    std::set<std::uint32_t> whole;
    for (const IndexEntry& entry : blocks)
        if (entry.kind == BlockKind::time_line && entry.calls == identity &&
            entry.records == time_line_key(TimeLinePart::frames, 0))
            whole.insert(entry.lane);
    const std::vector<LaneBlocks> lanes = lanes_of(file);
    return std::all_of(lanes.begin(), lanes.end(), [&](LaneBlocks lane) { return whole.contains(lane.front().lane); });
}

Bytes encode_frames(const std::vector<Frame>& frames) {
    Bytes bytes;
    write_value(bytes, Frames{frames});
    return bytes;
}

Result<std::vector<Frame>> decode_frames(ByteView bytes) {
    Frames frames;
    ByteReader in{bytes};
    std::uint64_t memory = 16 * bytes.size();
    read_value(in, frames, memory);
    if (!in.ok()) return Error{"what goes on behind the ends of blocks cannot be read"};
    return std::move(frames.frames);
}

} // namespace tactus
