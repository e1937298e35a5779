// What a thread did, added up over slots of equal length on the absolute grid of global time: slot k of width 2^b
// covers [k 2^b, (k + 1) 2^b), in units of global time. Pure.
//
//   time    |----a----|-b-|--a--|-----------------c-----------------|-a-|
//   slot        0           1           2           3           4
//   entries    a b         a            -           -           a           whoever was there first goes first
//   long                      |-----------------c-----------------|         longer than a slot: kept apart, whole
//
// Sums of functions add up, so slots of any width come from narrower ones exactly; so does who was there first.
#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "postproc/lod/span.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

struct SlotEntry {
    std::uint32_t function = 0;
    GlobalTime time = 0;
    GlobalTime longest = 0; // no span of it that is no longer than a slot takes more of it
};

struct Slots {
    std::int64_t first = 0;          // slot
    unsigned width_bits = 0;         // a slot is 2^width_bits units
    std::vector<std::uint32_t> ends; // of the entries of each slot
    std::vector<SlotEntry> entries;  // by slot; in a slot each function once, by its first touch
    std::vector<Span> longs;         // that lie here at least in part, by time
    bool knows_longest = true;       // `longest` is what such a span takes; else it may be less. Not stored

    [[nodiscard]] std::size_t size() const { return ends.size(); }
    [[nodiscard]] std::size_t begin_of(std::size_t slot) const { return slot == 0 ? 0 : ends[slot - 1]; }
    [[nodiscard]] GlobalTime time_of(std::size_t slot) const {
        return (first + static_cast<std::int64_t>(slot)) << width_bits;
    }
    [[nodiscard]] GlobalTime width() const { return GlobalTime{1} << width_bits; }
    [[nodiscard]] std::size_t bytes() const {
        return ends.size() * sizeof ends[0] + entries.size() * sizeof entries[0] + longs.size() * sizeof longs[0];
    }
};

// Filled from the end of time to its begin.
class SlotsMaker {
  public:
    SlotsMaker(std::int64_t first, unsigned width_bits, std::size_t slots);

    // What of the span lies in [from, to) and here.
    void add(const Span& span, GlobalTime from, GlobalTime to);
    // What of slots that are not wider lies in [from, to), which are whole slots of them, and here.
    void add(const Slots& finer, GlobalTime from, GlobalTime to);
    Slots take();

  private:
    void add_piece(std::uint32_t function, GlobalTime begin, GlobalTime end);
    void touch(const SlotEntry& entry);
    void move_to(std::size_t slot);
    void close_slot();

    GlobalTime begin_;
    GlobalTime end_;
    std::size_t slot_;
    bool adding_ = false; // slots: a span may have a part in each of several
    struct Open {
        SlotEntry entry;
        std::uint64_t touched = 0; // when last
    };
    std::vector<Open> open_; // of that slot
    std::uint64_t touches_ = 0;
    Slots made_; // everything from its end
};

// As bytes that compress well, and back. `first`, `width_bits` and the number of slots are the caller's to remember.
Bytes encode(const Slots& slots);
Result<Slots> decode_slots(ByteView bytes, std::int64_t first, unsigned width_bits, std::size_t slots);

} // namespace tactus
