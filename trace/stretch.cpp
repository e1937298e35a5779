#include "trace/stretch.hpp"

#include <algorithm>

namespace tactus {

std::optional<Stretch> Stretch::from(const Record& record, Words words) {
    if (record.what.kind != Kind::stretch || words.size() < Stretch::words) return {};
    const std::int64_t length = words[0];
    // Before the record, since the trace began.
    const bool fits = length > 0 && static_cast<Ticks>(length) <= record.enter;
    if (!fits || words[1] < 0 || words[2] < -1) return {};
    for (std::size_t i = 3; i < Stretch::words; ++i)
        if (words[i] < 0) return {};
    std::array<std::int64_t, most_counters> counted = not_counted;
    for (std::size_t i = 0; i < std::min(most_counters, words.size() - Stretch::words); ++i)
        counted[i] = std::max<std::int64_t>(words[Stretch::words + i], -1);
    return Stretch{.length = static_cast<Ticks>(length),
                   .ran_ns = words[1],
                   .waited_ns = words[2],
                   .system_ns = words[3],
                   .minor_faults = static_cast<std::uint64_t>(words[4]),
                   .major_faults = static_cast<std::uint64_t>(words[5]),
                   .voluntary_switches = static_cast<std::uint32_t>(envelope_source(words[6])),
                   .involuntary_switches = static_cast<std::uint32_t>(envelope_tag(words[6])),
                   .counted = counted};
}

} // namespace tactus
