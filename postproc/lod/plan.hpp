// Which parts of a lane's time line are added up ahead, by how many records it has where. Pure.
//
// A chunk is 256 slots of 2^b units each; a chunk of a level covers four of the level below, where slots are a quarter
// as wide. A chunk is kept where its slots have 64 records each or more, or one below it is: with few records it is
// made of them when somebody asks. Which of the two possible ladders of widths a lane has goes by its density, so that
// its narrowest slots mostly have 64 to 128.
#pragma once

#include "trace/time_map.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

constexpr unsigned chunk_bits = 8;
constexpr std::size_t chunk_slots = std::size_t{1} << chunk_bits;
constexpr unsigned level_bits = 2;
constexpr unsigned most_width_bits = 54; // a chunk of 2^62 units

// Whether wider ones would show nothing more of what is between these times.
constexpr bool spans_few_slots(GlobalTime first, GlobalTime last, unsigned width_bits) {
    constexpr std::uint64_t few = 8;
    return (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) >> width_bits < few;
}
// Whether what is added up in slots of that width is not to be added up in those of the level above.
constexpr bool is_widest(GlobalTime first, GlobalTime last, unsigned width_bits) {
    return spans_few_slots(first, last, width_bits) || width_bits + level_bits > most_width_bits;
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
    // How long it takes until one more leaves, where most of them are.
    [[nodiscard]] double time_a_record() const;

  private:
    [[nodiscard]] double records_until(GlobalTime time) const;
    GlobalTime begin_ = 0;
    std::vector<GlobalTime> ends_;
    std::vector<std::uint64_t> before_; // records, with those of the block
};

struct ChunkPlan {
    unsigned narrowest = 0;                        // width of the slots of the lowest level: 2^0 or 2^1 units
    std::vector<std::vector<std::int64_t>> levels; // their chunks by number, ascending
    [[nodiscard]] unsigned width_bits(unsigned level) const { return narrowest + level * level_bits; }
    // Chunk c covers [c, c + 1) x 2^chunk_time_bits(level).
    [[nodiscard]] unsigned chunk_time_bits(unsigned level) const { return width_bits(level) + chunk_bits; }
    [[nodiscard]] bool has(unsigned level, std::int64_t chunk) const;
};
ChunkPlan plan_chunks(const LaneTimes& times);

} // namespace tactus
