#include "postproc/lod/rank_index.hpp"

#include "trace/fields.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace tactus {
namespace {

// To be increased with every change after which indexes differ. What the system counts for threads is in the traces of
// collectors that also read it for the whole run.
constexpr std::uint64_t way_of_making = 2;
constexpr std::uint64_t way_with_stretches = 3;

struct Frames {
    std::vector<Frame> frames;
    static constexpr void fields(auto& self, auto&& field) { field("frames", self.frames); }
};

// Collects the sealed blocks of an index.
class Sealed {
  public:
    Sealed(std::uint64_t identity, std::uint64_t job)
        : header_{.kind = BlockKind::time_line, .calls = identity, .job = job} {}

    void of_lane(std::uint32_t lane) { header_.lane = lane; }
    void add(TimeLinePart part, unsigned width_bits, std::uint64_t number, ByteView content, Ticks first = 0,
             Ticks last = 0) {
        header_.records = time_line_key(part, width_bits);
        header_.sequence = number;
        header_.first = first;
        header_.last = last;
        Bytes block = pack_block(header_, content);
        block.resize(padded(block.size()));
        blocks_.push_back(std::move(block));
    }
    void add_links(std::span<const LinkSum> sums, LinkKind kind, unsigned width_bits, std::uint64_t piece) {
        std::int64_t begin = std::numeric_limits<std::int64_t>::max(); // in slots, as is `end`
        std::int64_t end = std::numeric_limits<std::int64_t>::min();
        for (const LinkSum& sum : sums) {
            begin = std::min({begin, sum.from_slot, sum.to_slot});
            end = std::max({end, sum.from_slot + 1, sum.to_slot + 1});
        }
        const auto time_of = [&](std::int64_t slot) {
            return sums.empty() ? 0 : static_cast<Ticks>(slot << width_bits);
        };
        add(part_of(kind), width_bits, piece_number(piece, sums.size()), encode(sums, kind, width_bits), time_of(begin),
            time_of(end));
    }
    // A level of sums that each belong to one slot.
    template <class Level, class Encode>
    void add_level(const Level& level, TimeLinePart part, const Encode& encode_piece) {
        constexpr std::size_t piece = 2048;
        for (std::size_t first = 0; first < level.sums.size(); first += piece) {
            const std::span sums = std::span{level.sums}.subspan(first, std::min(piece, level.sums.size() - first));
            add(part, level.width_bits, piece_number(first / piece, sums.size()), encode_piece(sums),
                static_cast<Ticks>(sums.front().slot << level.width_bits),
                static_cast<Ticks>((sums.back().slot + 1) << level.width_bits));
        }
    }
    std::vector<Bytes> take() { return std::move(blocks_); }

  private:
    BlockHeader header_;
    std::vector<Bytes> blocks_;
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
    const std::uint64_t way = file.definitions().os_readings.empty() ? way_of_making : way_with_stretches;
    return checksum_of(BlockHeader{.kind = BlockKind::time_line, .sequence = way}, bytes);
}

RankIndex make_index(const RankFile& file, std::uint64_t identity, const ClockOfLane& clock) {
    RankIndex index;
    Sealed blocks{identity, file.header().job};
    const SpanFunctions known{file.definitions()};
    const CounterValues values{file.definitions()};
    const std::vector<LaneBlocks> lanes = lanes_of(file);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        blocks.of_lane(lanes[i].front().lane);
        const LaneTimes times = times_of(lanes[i], clock(i));
        const LaneIndex lane = index_lane(file, lanes[i], known, values, clock(i), times, [&](const LaneChunk& chunk) {
            blocks.add(TimeLinePart::spans, chunk.slots.width_bits, static_cast<std::uint64_t>(chunk.chunk),
                       encode(chunk.slots));
        });
        for (const CounterLevel& level : lane.counters)
            blocks.add_level(level, TimeLinePart::counters,
                             [&](const auto& sums) { return encode(sums, level.width_bits); });
        for (const NoCoreLevel& level : lane.no_core)
            blocks.add_level(level, TimeLinePart::no_core, [](const auto& sums) { return encode(sums); });
        blocks.add(TimeLinePart::frames, 0, 0, encode_frames(lane.frames));
        for (const Error& error : lane.unreadable) keep_error(index.unreadable, error);
    }
    index.blocks = blocks.take();
    return index;
}

std::uint64_t run_identity(const Trace& trace) {
    std::vector<std::uint64_t> identities;
    for (const RankFile& file : trace.ranks) identities.push_back(index_identity(file, file.clock()));
    return run_identity(identities);
}

std::uint64_t run_identity(std::span<const std::uint64_t> index_identities) {
    return std::accumulate(index_identities.begin(), index_identities.end(), std::uint64_t{0});
}

std::vector<Bytes> link_blocks(const RankLinks& links, std::uint32_t rank, std::uint64_t job, std::uint64_t run) {
    constexpr std::size_t piece = 2048;
    Sealed blocks{run, job};
    blocks.of_lane(rank);
    for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective})
        for (const LinkLevel& level : links[static_cast<std::size_t>(kind)])
            for (std::size_t first = 0; first < std::max<std::size_t>(level.sums.size(), 1); first += piece) {
                const std::span sums = std::span{level.sums}.subspan(first, std::min(piece, level.sums.size() - first));
                blocks.add_links(sums, kind, level.width_bits, first / piece);
            }
    blocks.add(TimeLinePart::all_links, 0, 0, {});
    return blocks.take();
}

Bytes link_block(const LinkLevel& piece, LinkKind kind, std::uint32_t number, std::uint32_t rank, std::uint64_t job,
                 std::uint64_t run) {
    Sealed block{run, job};
    block.of_lane(rank);
    block.add_links(piece.sums, kind, piece.width_bits, number);
    return std::move(block.take().front());
}

std::set<std::uint32_t> ranks_with_links(const std::vector<IndexEntry>& blocks, std::uint64_t run) {
    std::set<std::uint32_t> ranks;
    for (const IndexEntry& entry : blocks)
        if (entry.kind == BlockKind::time_line && entry.calls == run &&
            entry.records == time_line_key(TimeLinePart::all_links, 0))
            ranks.insert(entry.lane);
    return ranks;
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
