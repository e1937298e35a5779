#include "postproc/lod/counters.hpp"

#include "postproc/lod/columns.hpp"
#include "postproc/lod/plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tactus {

CounterSum sum_of_value(std::uint32_t counter, GlobalTime time, double value, unsigned width_bits) {
    return {.slot = time >> width_bits,
            .counter = counter,
            .count = 1,
            .least = value,
            .greatest = value,
            .last = value,
            .last_at = time};
}

void CounterMap::add(const CounterSum& sum) {
    const auto [known, fresh] = sums_.try_emplace(sum.key(), sum);
    if (fresh) return;
    CounterSum& all = known->second;
    all.count += sum.count;
    all.least = std::min(all.least, sum.least);
    all.greatest = std::max(all.greatest, sum.greatest);
    if (std::pair{sum.last_at, sum.last} > std::pair{all.last_at, all.last}) {
        all.last_at = sum.last_at;
        all.last = sum.last;
    }
}

std::vector<CounterSum> CounterMap::take() {
    std::vector<CounterSum> sums;
    sums.reserve(sums_.size());
    for (const auto& [place, sum] : sums_) sums.push_back(sum);
    sums_.clear();
    return sums;
}

void CounterSums::add(std::uint32_t counter, GlobalTime time, double value) {
    first_ = std::min(first_, time);
    last_ = std::max(last_, time);
    sums_.add(sum_of_value(counter, time, value, width_bits_));
    while (sums_.size() > most_ && !is_widest(first_, last_, width_bits_)) widen();
}

void CounterSums::widen() {
    width_bits_ += level_bits;
    for (CounterSum sum : sums_.take()) {
        sum.slot >>= level_bits;
        sums_.add(sum);
    }
}

std::vector<CounterLevel> CounterSums::take() {
    constexpr std::size_t few = 64;
    std::vector<CounterLevel> levels;
    while (sums_.size() > 0) {
        levels.push_back({width_bits_, sums_.take()});
        if (levels.back().sums.size() <= few || is_widest(first_, last_, width_bits_)) break;
        for (const CounterSum& sum : levels.back().sums) sums_.add(sum);
        widen();
    }
    return levels;
}

namespace {

enum CounterColumn : std::size_t { slots, counters, counts, leasts, greatests, lasts, times, counter_columns };

double read_double(ByteReader& from) {
    const ByteView bytes = from.take(sizeof(double));
    double value = 0;
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    if (std::isnan(value)) from.fail();
    return value;
}

} // namespace

Bytes encode(std::span<const CounterSum> sums, unsigned width_bits) {
    std::array<Bytes, counter_columns> columns;
    std::int64_t slot = 0;
    for (const CounterSum& sum : sums) {
        append_varint(columns[slots], zigzag(sum.slot - slot));
        slot = sum.slot;
        append_varint(columns[counters], sum.counter);
        append_varint(columns[counts], sum.count);
        append_raw(columns[leasts], sum.least);
        append_raw(columns[greatests], sum.greatest);
        append_raw(columns[lasts], sum.last);
        append_varint(columns[times], static_cast<std::uint64_t>(sum.last_at - (sum.slot << width_bits)));
    }
    Bytes bytes;
    append_varint(bytes, sums.size());
    append_columns(bytes, columns);
    return bytes;
}

Result<std::vector<CounterSum>> decode_counters(ByteView bytes, unsigned width_bits) {
    const Error wrong{"the columns of sums of counters contradict each other"};
    ByteReader in{bytes};
    const std::uint64_t count = in.varint();
    const auto views = take_columns<counter_columns>(in);
    if (!views || count > (*views)[counts].size() || width_bits > most_width_bits) return wrong;
    std::vector<ByteReader> columns{views->begin(), views->end()};
    const std::int64_t least_slot = within_reach(std::numeric_limits<GlobalTime>::min()) >> width_bits;
    const std::int64_t most_slot = within_reach(std::numeric_limits<GlobalTime>::max()) >> width_bits;
    std::vector<CounterSum> sums;
    sums.reserve(count);
    std::int64_t slot = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (__builtin_add_overflow(slot, columns[slots].signed_varint(), &slot) || slot < least_slot ||
            slot > most_slot)
            return wrong;
        CounterSum& sum = sums.emplace_back();
        sum.slot = slot;
        sum.counter = static_cast<std::uint32_t>(columns[counters].varint());
        sum.count = columns[counts].varint();
        sum.least = read_double(columns[leasts]);
        sum.greatest = read_double(columns[greatests]);
        sum.last = read_double(columns[lasts]);
        const std::uint64_t since = columns[times].varint();
        if (since >> width_bits != 0) return wrong;
        sum.last_at = (slot << width_bits) + static_cast<GlobalTime>(since);
    }
    if (!std::all_of(columns.begin(), columns.end(), [](const ByteReader& column) { return column.ok(); }))
        return wrong;
    return sums;
}

} // namespace tactus
