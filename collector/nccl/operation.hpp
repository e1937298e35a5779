// An operation of NCCL while it is assembled. Only the drainer uses it.
#pragma once

#include "collector/nccl/event.hpp"
#include "trace/nccl.hpp"

#include <bitset>
#include <cstdint>
#include <limits>

namespace tactus::nccl {

constexpr std::size_t most_channels = 256; // NCCL has 64, RCCL 128; a channel's number is a byte

struct Operation {
    Event start;
    NcclKind kind{};
    std::uint64_t plan = 0; // what it was launched with; 0: not known
    std::uint8_t flags = 0; // of its NcclTag
    bool posted = false;    // NCCL has handed it over
    Ticks posted_at = 0;
    Ticks called = 0; // when the application called; 0: not known, as the next
    Ticks launched = 0;
    std::uint64_t launch = 0; // the launch's token; 0: not known
    Ticks after = 0;          // a time before the launch, where NCCL does not report launches
    Ticks changed = 0;        // when the last event about it was
    bool closed = false;

    // Times of the channels by the GPU's clock, in nanoseconds:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = never;
    std::int64_t latest_start = -never;
    std::int64_t last = -never;
    std::int64_t longest = 0;
    // Times of the callbacks, where NCCL does not report the GPU's:
    Ticks first_told = ~Ticks{0};
    Ticks last_told = 0;
    unsigned started = 0;
    unsigned stopped = 0;
    unsigned timed = 0; // channels whose times are valid
    std::bitset<most_channels> channels;

    unsigned open_proxies = 0; // of this process
    Ticks last_proxy = 0;

    [[nodiscard]] bool has_stamps() const { return first != never; }
};

} // namespace tactus::nccl
