// What a thread did, added up over slots of equal width on an absolute grid of global time: slot k of width 2^b covers
// [k 2^b, (k + 1) 2^b), in units of global time. Pure.
//
//   time    |----a----|-b-|--a--|-----------------c-----------------|-a-|
//   slot        0           1           2           3           4
//   entries    a b         a            -           -           a           the function that came first goes first
//   long                      |-----------------c-----------------|         longer than a slot: kept apart, whole
//
// Wider slots come exactly from narrower ones, since times add up, and the order in which functions came is kept.
#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "postproc/lod/span.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

struct SlotEntry {
    std::uint32_t function = 0;
    GlobalTime time = 0;
    GlobalTime longest = 0; // no span of the function that is no longer than a slot has more time in this slot
};

struct Slots {
    std::int64_t first = 0;          // number of the first slot
    unsigned width_bits = 0;         // a slot is 2^width_bits units
    std::vector<std::uint32_t> ends; // for each slot, where its entries end
    std::vector<SlotEntry> entries;  // by slot; in a slot by when the function came first, each function once
    std::vector<Span> longs;         // spans longer than a slot that lie here at least in part, ordered by time
    bool knows_longest = true;       // `longest` is exact; false: only an upper limit. Not stored

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

// Makes slots from spans or narrower slots, which are added from the last to the first.
class SlotsMaker {
  public:
    SlotsMaker(std::int64_t first, unsigned width_bits, std::size_t slots);

    // Adds the part of a span that lies in these slots. Most spans are short, and lie in the slot of the one before.
    void add(const Span& span) {
        if (span.begin < slot_begin_ || span.end > slot_end_) return add(span, span.begin, span.end);
        touch({span.function, span.length(), span.length()});
    }
    // The same for the part that lies in [from, to), too.
    void add(const Span& span, GlobalTime from, GlobalTime to);
    // Adds the part of `finer` that lies in [from, to) and in these slots. `finer` has slots that are not wider, and
    // [from, to) is made of whole slots of it.
    void add(const Slots& finer, GlobalTime from, GlobalTime to);
    Slots take();

  private:
    struct Open {
        SlotEntry entry;
        std::uint64_t touched = 0; // number of its last touch
    };

    void add_piece(std::uint32_t function, GlobalTime begin, GlobalTime end);
    void touch(const SlotEntry& entry) {
        ++touches_;
        for (std::size_t i = open_.size(); i-- > 0;) {
            Open& known = open_[i];
            if (known.entry.function != entry.function) continue;
            known.entry.time += entry.time;
            known.entry.longest =
                adding_ ? known.entry.longest + entry.longest : std::max(known.entry.longest, entry.longest);
            known.touched = touches_;
            return;
        }
        open_.push_back({entry, touches_});
    }
    void move_to(std::size_t slot);
    void close_slot();

    GlobalTime begin_;
    GlobalTime end_;
    std::size_t slot_;
    GlobalTime slot_begin_ = 0; // the time that the slot covers; empty until the first slot is reached
    GlobalTime slot_end_ = 0;
    bool adding_ = false;    // narrower slots are added: a span may have parts in several of them
    std::vector<Open> open_; // the entries of slot_
    std::uint64_t touches_ = 0;
    Slots made_; // until take(), `ends` has the number of entries of each slot, and entries and spans are reversed
};

// Turn slots into bytes that compress well, and back. `longest` becomes the whole time of an entry. The caller
// remembers `first`, `width_bits` and the number of slots.
Bytes encode(const Slots& slots);
Result<Slots> decode_slots(ByteView bytes, std::int64_t first, unsigned width_bits, std::size_t slots);

} // namespace tactus
