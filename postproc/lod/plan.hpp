// Plans which parts of a lane's time line are added up when the trace is finished, by how dense the records are. Pure.
//
// A chunk is 256 slots of 2^b units each. A chunk covers four chunks of the level below, where slots are a quarter as
// wide. A chunk is kept if its slots have 64 records or more on average, or if a chunk below it is kept. A chunk with
// fewer records is made from them when it is needed. The widths of a lane are either even or odd powers of two; its
// density decides which, so that its narrowest slots mostly have 64 to 128 records.
#pragma once

#include "trace/time_map.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

constexpr unsigned chunk_bits = 8;
constexpr std::size_t chunk_slots = std::size_t{1} << chunk_bits;
constexpr unsigned level_bits = 2;
constexpr unsigned most_width_bits = 54; // a chunk covers 2^62 units then

// Whether there are so few slots between these times that wider ones are of no use.
constexpr bool spans_few_slots(GlobalTime first, GlobalTime last, unsigned width_bits) {
    constexpr std::uint64_t few = 8;
    return (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) >> width_bits < few;
}
// Whether slots of this width are the widest in use: there is no level above.
constexpr bool is_widest(GlobalTime first, GlobalTime last, unsigned width_bits) {
    return spans_few_slots(first, last, width_bits) || width_bits + level_bits > most_width_bits;
}

// The times of a lane's blocks, from which the number of records in any interval is estimated.
class LaneTimes {
  public:
    LaneTimes() = default;
    explicit LaneTimes(GlobalTime begin) : begin_{begin} {}
    void add_block(GlobalTime last_leave, std::uint64_t records); // in the order of time

    [[nodiscard]] bool empty() const { return ends_.empty(); }
    [[nodiscard]] GlobalTime begin() const { return begin_; }
    [[nodiscard]] GlobalTime end() const { return ends_.empty() ? begin_ : ends_.back(); }
    [[nodiscard]] std::uint64_t records() const { return before_.empty() ? 0 : before_.back(); }
    [[nodiscard]] std::size_t blocks() const { return ends_.size(); }
    [[nodiscard]] GlobalTime end_of(std::size_t block) const { return ends_[block]; }
    // The first block whose records end after `time`; blocks() if there is none.
    [[nodiscard]] std::size_t block_behind(GlobalTime time) const;
    // About how many records left in this interval.
    [[nodiscard]] double records_between(GlobalTime from, GlobalTime to) const;
    // The time from one leave to the next: the median over all records, each with the average of its block.
    [[nodiscard]] double time_a_record() const;

  private:
    [[nodiscard]] double records_until(GlobalTime time) const;
    GlobalTime begin_ = 0;
    std::vector<GlobalTime> ends_;      // by block
    std::vector<std::uint64_t> before_; // by block: the number of records up to its end
};

struct ChunkPlan {
    unsigned narrowest = 0;                        // the lowest level has slots of 2^narrowest units: 1 or 2
    std::vector<std::vector<std::int64_t>> levels; // for each level, the ascending numbers of its chunks
    [[nodiscard]] unsigned width_bits(unsigned level) const { return narrowest + level * level_bits; }
    // Chunk c covers the times [c, c + 1) x 2^chunk_time_bits(level).
    [[nodiscard]] unsigned chunk_time_bits(unsigned level) const { return width_bits(level) + chunk_bits; }
    [[nodiscard]] bool has(unsigned level, std::int64_t chunk) const;
};
ChunkPlan plan_chunks(const LaneTimes& times);

} // namespace tactus
