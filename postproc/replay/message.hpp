// A message from one rank to another, or to itself, by both of its sides. Pure data.
#pragma once

#include "base/ticks.hpp"

#include <cstdint>

namespace tactus {

struct MessageEnd {
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    Ticks tick = 0; // sent: enter of the call that sent it; received: leave of the call that completed it
};

// Ticks are those of the ranks' own clocks.
struct Message {
    MessageEnd sent;
    MessageEnd received;
    std::uint64_t bytes = 0; // received
    std::uint64_t comm = 0;  // identity of its communicator
    std::int32_t tag = 0;
};

} // namespace tactus
