#include "postproc/lod/lane_index.hpp"

#include <algorithm>
#include <optional>

namespace tactus {
namespace {

// Makes the chunks of all levels from spans that are added from the last to the first. One chunk of each level is open.
class ChunkMaker {
  public:
    ChunkMaker(ChunkPlan plan, const TakeChunk& take)
        : plan_{std::move(plan)}, take_{take}, open_(plan_.levels.size()) {}

    void add(const Span& span) {
        if (span.begin >= valid_from_ && span.end <= valid_to_ && maker_ != nullptr) return maker_->add(span);
        for (GlobalTime to = span.end; to > span.begin;) {
            if (to <= valid_from_ || to > valid_to_) [[unlikely]]
                look_up(to - 1);
            const GlobalTime from = std::max(span.begin, valid_from_);
            if (maker_ != nullptr) maker_->add(span, from, to);
            to = from;
        }
    }
    void finish() { close_behind(std::numeric_limits<GlobalTime>::min()); }

  private:
    struct Open {
        std::int64_t chunk;
        SlotsMaker maker;
    };

    // Finds the finest level that is kept at this time, and the interval in which that holds. Closes all chunks after
    // that interval.
    void look_up(GlobalTime time) {
        maker_ = nullptr;
        unsigned level = 0;
        while (level < open_.size() && !plan_.has(level, chunk_of(time, level))) ++level;
        if (level == open_.size()) return hold_between_chunks(time);
        const unsigned below = level > 0 ? level - 1 : 0;
        valid_from_ = chunk_of(time, below) << plan_.chunk_time_bits(below);
        valid_to_ = (chunk_of(time, below) + 1) << plan_.chunk_time_bits(below);
        close_behind(valid_to_);
        open(level, chunk_of(time, level));
        maker_ = &open_[level]->maker;
    }
    // Nothing is kept at this time, which is before, between or after the chunks of the highest level.
    void hold_between_chunks(GlobalTime time) {
        valid_from_ = std::numeric_limits<GlobalTime>::min();
        valid_to_ = std::numeric_limits<GlobalTime>::max();
        if (plan_.levels.empty()) return;
        const unsigned top = static_cast<unsigned>(plan_.levels.size()) - 1;
        const std::vector<std::int64_t>& chunks = plan_.levels[top];
        const auto behind = std::upper_bound(chunks.begin(), chunks.end(), chunk_of(time, top));
        if (behind != chunks.begin()) valid_from_ = (*(behind - 1) + 1) << plan_.chunk_time_bits(top);
        if (behind != chunks.end()) valid_to_ = *behind << plan_.chunk_time_bits(top);
        close_behind(valid_to_);
    }
    [[nodiscard]] std::int64_t chunk_of(GlobalTime time, unsigned level) const {
        return time >> plan_.chunk_time_bits(level);
    }
    void open(unsigned level, std::int64_t chunk) {
        if (open_[level] && open_[level]->chunk == chunk) return;
        open_[level].emplace(Open{chunk, SlotsMaker{chunk << chunk_bits, plan_.width_bits(level), chunk_slots}});
    }
    void close_behind(GlobalTime time) {
        for (unsigned level = 0; level < open_.size(); ++level)
            if (open_[level] && open_[level]->chunk << plan_.chunk_time_bits(level) >= time) close(level);
    }
    // Hands out a chunk, and adds it to the chunk of the level above.
    void close(unsigned level) {
        const LaneChunk done{open_[level]->chunk, open_[level]->maker.take()};
        open_[level].reset();
        take_(done);
        if (level + 1 == open_.size()) return;
        open(level + 1, done.chunk >> level_bits);
        const GlobalTime from = done.chunk << plan_.chunk_time_bits(level);
        open_[level + 1]->maker.add(done.slots, from, from + (GlobalTime{1} << plan_.chunk_time_bits(level)));
    }

    ChunkPlan plan_;
    const TakeChunk& take_;
    std::vector<std::optional<Open>> open_; // by level
    SlotsMaker* maker_ = nullptr;           // of spans between the next two times; null: nothing is kept there
    GlobalTime valid_from_ = 0;
    GlobalTime valid_to_ = 0;
};

} // namespace

LaneTimes times_of(LaneBlocks blocks, const ProcessClock& clock) {
    if (blocks.empty()) return {};
    const auto first = std::min_element(blocks.begin(), blocks.end(), [](const IndexEntry& a, const IndexEntry& b) {
        return a.first < b.first; // a later block may have the earliest enter, of a region that ends in it
    });
    LaneTimes times{within_reach(clock.at(first->first))};
    for (const IndexEntry& block : blocks) times.add_block(within_reach(clock.at(block.last)), block.records);
    return times;
}

LaneIndex index_lane(const RankFile& file, LaneBlocks blocks, const SpanFunctions& known, const CounterValues& values,
                     const ProcessClock& clock, const LaneTimes& times, const TakeChunk& take) {
    constexpr std::size_t least_values = 1024;
    constexpr std::size_t records_a_value = 512; // at most some 2 % of a lane that has nothing but values
    // At most some 4 % of a lane that never had a core when it could run.
    constexpr std::size_t least_no_core = 4096;
    constexpr std::size_t records_a_no_core = 16;
    LaneIndex index;
    NoCoreSums no_core{std::max<std::size_t>(least_no_core, times.records() / records_a_no_core)};
    NoCoreBackward stretches{file, clock, no_core};
    CounterSums counters{std::max<std::size_t>(least_values, times.records() / records_a_value)};
    ChunkMaker chunks{plan_chunks(times), take};
    ClockCursor cursor{clock};
    SpansBackward spans{cursor, [&](const Span& span) { chunks.add(span); }};
    TimedBlock room;
    for (std::size_t i = blocks.size(); i-- > 0;) {
        spans.note_frames(blocks[i].last, [&](const Frame& frame) { index.frames.push_back(frame); });
        auto block = file.read_times(blocks[i], std::move(room));
        if (!block) {
            keep_error(index.unreadable, block.error());
            room = {};
            continue;
        }
        known.each_backward(*block, [&](Ticks enter, Ticks leave, std::uint32_t function) {
            spans.add(enter, leave, function);
            return true;
        });
        values.each_backward(*block, [&](Ticks tick, std::uint32_t counter, double value) {
            counters.add(counter, within_reach(clock.at(tick)), value);
        });
        stretches.add(*block);
        room = std::move(*block);
    }
    stretches.finish();
    spans.finish();
    chunks.finish();
    index.counters = counters.take();
    index.no_core = no_core.take();
    std::sort(index.frames.begin(), index.frames.end(), [](const Frame& a, const Frame& b) {
        return a.enter != b.enter ? a.enter < b.enter : a.leave > b.leave;
    });
    return index;
}

} // namespace tactus
