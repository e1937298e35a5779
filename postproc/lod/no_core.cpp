#include "postproc/lod/no_core.hpp"

#include "postproc/lod/columns.hpp"
#include "postproc/lod/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tactus {

void NoCoreSums::add(GlobalTime from, GlobalTime to, double share) {
    if (from >= to || !(share > 0)) return;
    first_ = std::min(first_, from);
    last_ = std::max(last_, to);
    const auto more = [&] { return static_cast<std::size_t>(((to - 1) >> width_bits_) - (from >> width_bits_)); };
    while (sums_.size() + more() > most_ && !is_widest(first_, last_, width_bits_)) widen();
    for (std::int64_t slot = (to - 1) >> width_bits_; slot >= from >> width_bits_; --slot) {
        const GlobalTime begin = std::max(from, slot << width_bits_);
        const GlobalTime end = std::min(to, (slot + 1) << width_bits_);
        add_to(slot, std::llround(share * static_cast<double>(end - begin)));
    }
}

void NoCoreSums::add_to(std::int64_t slot, GlobalTime time) {
    if (time == 0) return;
    if (sums_.empty() || sums_.back().slot > slot) sums_.push_back({slot, 0});
    // In a damaged trace stretches may overlap.
    sums_.back().time = std::min(sums_.back().time + time, GlobalTime{1} << width_bits_);
}

void NoCoreSums::widen() {
    width_bits_ += level_bits;
    std::vector<NoCoreSum> narrower;
    narrower.swap(sums_);
    for (const NoCoreSum& sum : narrower) add_to(sum.slot >> level_bits, sum.time);
}

std::vector<NoCoreLevel> NoCoreSums::take() {
    constexpr std::size_t few = 64;
    std::vector<NoCoreLevel> levels;
    while (!sums_.empty()) {
        levels.push_back({width_bits_, {sums_.rbegin(), sums_.rend()}});
        if (sums_.size() <= few || is_widest(first_, last_, width_bits_)) break;
        widen();
    }
    sums_.clear();
    return levels;
}

void NoCoreBackward::add(const TimedBlock& block) {
    auto stretch = block.stretches.rbegin();
    if (stretch == block.stretches.rend()) return;
    for (auto record = block.records.rbegin(); record != block.records.rend(); ++record) {
        if (block.dictionary[record->signature].kind != Kind::stretch) continue;
        add(record->enter, *stretch);
        if (++stretch == block.stretches.rend()) return;
    }
}

void NoCoreBackward::add(Ticks at, const Stretch& stretch) {
    if (stretch.length == 0) return; // damaged
    if (stretch.waited_ns >= 0) {
        finish();
        told_s_ = 1e-9 * static_cast<double>(stretch.waited_ns);
    }
    if (!told_s_ || told_.size() == most_untold) return;
    told_.push_back({at - stretch.length, at, core_time(stretch, file_.seconds(stretch.length))});
}

void NoCoreBackward::finish() {
    if (told_s_) tell_waited(told_, &Known::time, *told_s_);
    for (const Known& known : told_)
        sums_.add(within_reach(clock_.at(known.from)), within_reach(clock_.at(known.to)),
                  known.time.waited_s / known.time.total_s());
    told_.clear();
    told_s_.reset();
}

Bytes encode(std::span<const NoCoreSum> sums) {
    std::array<Bytes, 2> columns;
    auto& [slots, times] = columns;
    std::int64_t slot = 0;
    for (const NoCoreSum& sum : sums) {
        append_varint(slots, zigzag(sum.slot - slot));
        slot = sum.slot;
        append_varint(times, static_cast<std::uint64_t>(sum.time));
    }
    Bytes bytes;
    append_varint(bytes, sums.size());
    append_columns(bytes, columns);
    return bytes;
}

Result<std::vector<NoCoreSum>> decode_no_core(ByteView bytes, unsigned width_bits) {
    const Error wrong{"the columns of times without a core contradict each other"};
    ByteReader in{bytes};
    const std::uint64_t count = in.varint();
    const auto views = take_columns<2>(in);
    if (!views || count > (*views)[0].size() || width_bits > most_width_bits) return wrong;
    ByteReader slots{(*views)[0]};
    ByteReader times{(*views)[1]};
    const std::int64_t least_slot = within_reach(std::numeric_limits<GlobalTime>::min()) >> width_bits;
    const std::int64_t most_slot = within_reach(std::numeric_limits<GlobalTime>::max()) >> width_bits;
    std::vector<NoCoreSum> sums;
    sums.reserve(count);
    std::int64_t slot = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::int64_t before = slot;
        if (__builtin_add_overflow(slot, slots.signed_varint(), &slot) || slot < least_slot || slot > most_slot)
            return wrong;
        if (i > 0 && slot <= before) return wrong;
        const std::uint64_t time = times.varint();
        if (time > std::uint64_t{1} << width_bits) return wrong;
        sums.push_back({slot, static_cast<GlobalTime>(time)});
    }
    if (!slots.ok() || !times.ok()) return wrong;
    return sums;
}

} // namespace tactus
