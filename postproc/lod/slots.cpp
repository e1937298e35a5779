#include "postproc/lod/slots.hpp"

#include "postproc/lod/columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tactus {

SlotsMaker::SlotsMaker(std::int64_t first, unsigned width_bits, std::size_t slots)
    : begin_{first << width_bits}, end_{(first + static_cast<std::int64_t>(slots)) << width_bits}, slot_{slots - 1} {
    made_.first = first;
    made_.width_bits = width_bits;
    made_.ends.assign(slots, 0);
}

void SlotsMaker::add(const Span& span, GlobalTime from, GlobalTime to) {
    from = std::max({from, begin_, span.begin});
    to = std::min({to, end_, span.end});
    if (from >= to) return;
    if (span.length() <= made_.width()) return add_piece(span.function, from, to);
    if (made_.longs.empty() || made_.longs.back() != span) made_.longs.push_back(span);
}

void SlotsMaker::add_piece(std::uint32_t function, GlobalTime begin, GlobalTime end) {
    while (begin < end) {
        const auto slot = static_cast<std::size_t>(((end - 1) >> made_.width_bits) - made_.first);
        move_to(slot);
        const GlobalTime from = std::max(begin, made_.time_of(slot));
        touch({function, end - from, end - from});
        end = from;
    }
}

void SlotsMaker::move_to(std::size_t slot) {
    slot_begin_ = made_.time_of(slot);
    slot_end_ = slot_begin_ + made_.width();
    if (slot == slot_) return;
    close_slot();
    slot_ = slot;
}

// Appends the entries of the slot in the order of their last touch. Time runs backward, and take() reverses the
// entries.
void SlotsMaker::close_slot() {
    made_.ends[slot_] = static_cast<std::uint32_t>(open_.size());
    std::sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.touched < b.touched; });
    for (const Open& open_slot : open_) made_.entries.push_back(open_slot.entry);
    open_.clear();
}

void SlotsMaker::add(const Slots& finer, GlobalTime from, GlobalTime to) {
    from = std::max(from, begin_);
    to = std::min(to, end_);
    if (from >= to) return;
    adding_ = finer.width_bits < made_.width_bits;
    made_.knows_longest = made_.knows_longest && finer.knows_longest && !adding_;
    // The number of long spans that begin before the end of the slot at hand. Slots are visited backward.
    std::size_t behind = finer.longs.size();
    while (behind > 0 && finer.longs[behind - 1].begin >= to) --behind;
    const auto first = static_cast<std::size_t>((from >> finer.width_bits) - finer.first);
    for (auto slot = static_cast<std::size_t>(((to - 1) >> finer.width_bits) - finer.first) + 1; slot-- > first;) {
        const GlobalTime begin = finer.time_of(slot);
        const GlobalTime end = begin + finer.width();
        while (behind > 0 && finer.longs[behind - 1].begin >= begin) add(finer.longs[--behind], begin, end);
        const std::size_t first_entry = finer.begin_of(slot);
        if (finer.ends[slot] > first_entry)
            move_to(static_cast<std::size_t>((begin >> made_.width_bits) - made_.first));
        for (std::size_t i = finer.ends[slot]; i-- > first_entry;)
            if (adding_)
                touch(finer.entries[i]);
            else
                open_.push_back({finer.entries[i], ++touches_}); // equal widths: nothing else goes into this slot
        if (behind > 0 && finer.longs[behind - 1].end > begin) add(finer.longs[behind - 1], begin, end);
    }
}

Slots SlotsMaker::take() {
    close_slot();
    std::uint32_t end = 0;
    for (std::uint32_t& slot_end : made_.ends) slot_end = end += slot_end;
    std::reverse(made_.entries.begin(), made_.entries.end());
    std::reverse(made_.longs.begin(), made_.longs.end());
    return std::move(made_);
}

namespace {

// Computes how much of each slot is covered by long spans.
class Covered {
  public:
    explicit Covered(const Slots& slots) : slots_{slots} {}
    // To be called for slots in ascending order.
    GlobalTime of(std::size_t slot) {
        const GlobalTime begin = slots_.time_of(slot);
        const GlobalTime end = begin + slots_.width();
        while (next_ < slots_.longs.size() && slots_.longs[next_].end <= begin) ++next_;
        GlobalTime sum = 0;
        for (std::size_t i = next_; i < slots_.longs.size() && slots_.longs[i].begin < end; ++i)
            sum += std::min(end, slots_.longs[i].end) - std::max(begin, slots_.longs[i].begin);
        return sum;
    }

  private:
    const Slots& slots_;
    std::size_t next_ = 0;
};

enum SlotColumn : std::size_t { counts, names, times, idle, largest, spans, slot_columns };

} // namespace

// The time of a slot's largest entry is not stored. It is what long spans and the other entries leave of the slot, less
// its idle time, which is mostly 0.
Bytes encode(const Slots& slots) {
    std::array<Bytes, slot_columns> columns;
    std::vector<std::uint32_t> before; // functions in the last slot that had any
    Covered covered{slots};
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        const std::size_t begin = slots.begin_of(slot);
        const std::size_t count = slots.ends[slot] - begin;
        append_varint(columns[counts], count);
        if (count == 0) continue;
        GlobalTime sum = 0;
        std::size_t most = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const SlotEntry& entry = slots.entries[begin + i];
            sum += entry.time;
            if (entry.time > slots.entries[begin + most].time) most = i;
            append_varint(columns[names], i < before.size() && before[i] == entry.function ? 0 : entry.function + 1);
        }
        for (std::size_t i = 0; i < count; ++i)
            if (i != most) append_varint(columns[times], static_cast<std::uint64_t>(slots.entries[begin + i].time));
        append_varint(columns[largest], most);
        append_varint(columns[idle], static_cast<std::uint64_t>(slots.width() - covered.of(slot) - sum));
        before.clear();
        for (std::size_t i = 0; i < count; ++i) before.push_back(slots.entries[begin + i].function);
    }
    append_varint(columns[spans], slots.longs.size());
    GlobalTime end = slots.time_of(0);
    for (const Span& span : slots.longs) {
        append_varint(columns[spans], zigzag(span.begin - end));
        append_varint(columns[spans], static_cast<std::uint64_t>(span.length() - slots.width()));
        append_varint(columns[spans], span.function);
        end = span.end;
    }
    Bytes bytes;
    append_columns(bytes, columns);
    return bytes;
}

namespace {

class SlotsDecoder {
  public:
    explicit SlotsDecoder(Slots& out) : out_{out} {}

    bool decode(ByteView bytes, std::size_t slots) {
        ByteReader in{bytes};
        const auto views = take_columns<slot_columns>(in);
        if (!views) return false;
        const auto& columns = *views;
        ByteReader span_column{columns[spans]};
        if (!decode_spans(span_column)) return false;
        out_.entries.reserve(columns[names].size()); // an entry takes at least a byte of this column
        ByteReader count_column{columns[counts]};
        name_ = ByteReader{columns[names]};
        time_ = ByteReader{columns[times]};
        idle_ = ByteReader{columns[idle]};
        largest_ = ByteReader{columns[largest]};
        Covered covered{out_};
        for (std::size_t slot = 0; slot < slots; ++slot) {
            out_.ends.push_back(static_cast<std::uint32_t>(out_.entries.size()));
            const std::uint64_t count = count_column.varint();
            if (count > name_.left()) return false;
            if (count > 0 && !decode_slot(count, covered.of(slot))) return false;
            out_.ends.back() = static_cast<std::uint32_t>(out_.entries.size());
        }
        return count_column.ok() && name_.ok() && time_.ok() && idle_.ok() && largest_.ok();
    }

  private:
    bool decode_spans(ByteReader& in) {
        const std::uint64_t count = in.varint();
        if (count > in.left()) return false;
        GlobalTime end = out_.time_of(0);
        for (std::uint64_t i = 0; i < count; ++i) {
            Span span;
            GlobalTime length = 0;
            const std::int64_t since = in.signed_varint();
            const auto longer = static_cast<std::int64_t>(in.varint());
            span.function = static_cast<std::uint32_t>(in.varint());
            if ((i > 0 && since < 0) || longer <= 0 || __builtin_add_overflow(end, since, &span.begin) ||
                __builtin_add_overflow(longer, out_.width(), &length) ||
                __builtin_add_overflow(span.begin, length, &span.end) || span.begin != within_reach(span.begin) ||
                span.end != within_reach(span.end))
                return false;
            end = span.end;
            out_.longs.push_back(span);
        }
        return in.ok();
    }

    bool decode_slot(std::uint64_t count, GlobalTime covered) {
        const std::size_t begin = out_.entries.size();
        const std::uint64_t most = largest_.varint();
        const auto idle = static_cast<GlobalTime>(idle_.varint());
        GlobalTime left = 0;
        if (most >= count || __builtin_sub_overflow(out_.width() - covered, idle, &left)) return false;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t name = name_.varint();
            if (name == 0 && i >= before_) return false;
            const std::uint32_t function =
                name == 0 ? out_.entries[begin - before_ + i].function : static_cast<std::uint32_t>(name - 1);
            const GlobalTime time = i == most ? 0 : static_cast<GlobalTime>(time_.varint());
            if (time < 0 || time > left) return false;
            left -= time;
            out_.entries.push_back({function, time, time});
        }
        out_.entries[begin + most].time = out_.entries[begin + most].longest = left;
        before_ = count;
        return left > 0;
    }

    Slots& out_;
    ByteReader name_{{}};
    ByteReader time_{{}};
    ByteReader idle_{{}};
    ByteReader largest_{{}};
    std::uint64_t before_ = 0; // number of entries in the last slot that had any; they are the last ones in out_
};

} // namespace

Result<Slots> decode_slots(ByteView bytes, std::int64_t first, unsigned width_bits, std::size_t slots) {
    Slots out{.first = first, .width_bits = width_bits, .ends = {}, .entries = {}, .longs = {}, .knows_longest = false};
    out.ends.reserve(slots);
    if (!SlotsDecoder{out}.decode(bytes, slots))
        return Error{"the columns of a part of the time line contradict each other"};
    return out;
}

} // namespace tactus
