// A stretch is the time of a thread between two readings of what the operating system counts for it. Its record (Kind
// stretch) is stored at the second reading, which took from enter to leave, by the thread itself, between two of its
// calls: `tag` is the number of the core that the thread ran on then, and the words are these, with one word more for
// each counter of the processor that is recorded (processor_counters.hpp).
#pragma once

#include "base/counted_events.hpp"
#include "base/ticks.hpp"
#include "trace/record.hpp"
#include "trace/words.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace tactus {

struct Stretch {
    Ticks length = 0;        // from the reading before to this one
    std::int64_t ran_ns = 0; // on a core
    // Able to run, without a core, since the last stretch that tells this; -1: not asked this time. What is left of the
    // time the thread was asleep.
    std::int64_t waited_ns = -1;
    std::int64_t system_ns = 0; // in the kernel
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint32_t voluntary_switches = 0;
    std::uint32_t involuntary_switches = 0;

    std::array<std::int64_t, most_counters> counted = not_counted; // -1: not known

    static constexpr std::array<std::int64_t, most_counters> not_counted{-1, -1, -1, -1};
    static_assert(not_counted.back() == -1);
    static constexpr std::size_t words = 7; // without counters
    static constexpr std::size_t most_words = words + most_counters;
    [[nodiscard]] std::array<std::int64_t, most_words> put() const {
        return {static_cast<std::int64_t>(length),
                ran_ns,
                waited_ns,
                system_ns,
                static_cast<std::int64_t>(minor_faults),
                static_cast<std::int64_t>(major_faults),
                envelope_word(static_cast<std::int32_t>(voluntary_switches),
                              static_cast<std::int32_t>(involuntary_switches)),
                counted[0],
                counted[1],
                counted[2],
                counted[3]};
    }
    // Returns nothing if the record is no stretch, or a damaged one.
    static std::optional<Stretch> from(const Record& record, Words words);
};

} // namespace tactus
