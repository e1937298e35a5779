// A message from a rank to another or to itself, as seen by both of its sides. Pure data.
#pragma once

#include "base/ticks.hpp"

#include <cstdint>

namespace tactus {

struct MessageEnd {
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    Ticks tick = 0; // for `sent` the enter of the call that sent it, for `received` the leave of the completing call
};

// Ticks are those of the ranks' own clocks.
struct Message {
    MessageEnd sent;
    MessageEnd received;
    std::uint64_t bytes = 0; // as received
    std::uint64_t comm = 0;  // identity of its communicator
    std::int32_t tag = 0;
    std::uint64_t series = 0; // see Channel; 0: an ordinary message
};

} // namespace tactus
