// Which parts of a lane's time line are added up ahead, by how many records it has where. Pure.
//
// A chunk is 256 slots; on level l slots are 4^l units wide, so that a chunk of a level covers four of the level below.
// A chunk is kept where its slots have some 64 records each, or one below it is. So what is not kept has few records:
// it is read when somebody asks. Level by level, chunks by number: chunk c covers [c, c + 1) x 256 x 4^l.
#pragma once

#include "trace/time_map.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

constexpr unsigned chunk_bits = 8;
constexpr std::size_t chunk_slots = std::size_t{1} << chunk_bits;
constexpr unsigned level_bits = 2;
constexpr unsigned most_levels = 27; // 2^62 units fit
constexpr unsigned width_bits_of(unsigned level) { return level * level_bits; }
constexpr unsigned chunk_time_bits(unsigned level) { return width_bits_of(level) + chunk_bits; }
// The level of the widest slots that are no wider than that.
constexpr unsigned level_for(unsigned width_bits) {
    const unsigned level = width_bits / level_bits;
    return level < most_levels ? level : most_levels - 1;
}

// Where in time the records of a lane are, by blocks.
class LaneTimes {
  public:
    LaneTimes() = default;
    explicit LaneTimes(GlobalTime begin) : begin_{begin} {}
    void add_block(GlobalTime last_leave, std::uint64_t records); // in order

    [[nodiscard]] bool empty() const { return ends_.empty(); }
    [[nodiscard]] GlobalTime begin() const { return begin_; }
    [[nodiscard]] GlobalTime end() const { return ends_.empty() ? begin_ : ends_.back(); }
    [[nodiscard]] std::uint64_t records() const { return before_.empty() ? 0 : before_.back(); }
    [[nodiscard]] std::size_t blocks() const { return ends_.size(); }
    [[nodiscard]] GlobalTime end_of(std::size_t block) const { return ends_[block]; }
    // The first block whose records end behind `time`; blocks() where none does.
    [[nodiscard]] std::size_t block_behind(GlobalTime time) const;
    // About how many left in between.
    [[nodiscard]] double records_between(GlobalTime from, GlobalTime to) const;

  private:
    [[nodiscard]] double records_until(GlobalTime time) const;
    GlobalTime begin_ = 0;
    std::vector<GlobalTime> ends_;
    std::vector<std::uint64_t> before_; // records, with those of the block
};

struct ChunkPlan {
    std::vector<std::vector<std::int64_t>> levels; // their chunks, ascending
    [[nodiscard]] bool has(unsigned level, std::int64_t chunk) const;
};
ChunkPlan plan_chunks(const LaneTimes& times);

} // namespace tactus
