// What one rank sent and received, read from its file: for each message the call that gave it its place among the
// others (the send, the receive's post), and for a receive the call that completed it.
#pragma once

#include "trace/rank_file.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// A message as one side sees it.
struct Half {
    std::uint32_t comm = 0; // its number in this rank's records
    std::int32_t peer = peer::none;
    std::int32_t tag = 0;
    // The call that sent or posted it. Calls of a lane come one after the other; those of several may overlap.
    std::uint32_t order_lane = 0;
    Ticks enter = 0;
    Ticks leave = 0;
    // What Message says of it.
    std::uint32_t lane = 0;
    Ticks tick = 0;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0; // that its sender gave it; 0: not known
};

struct RankMessages {
    std::vector<Half> sent;
    std::vector<Half> received;
    std::vector<NotRecorded> not_recorded; // messages and collectives
    bool complete = true;                  // no record is missing that may have been of a message
    std::vector<Error> unreadable;
};

RankMessages messages_of(const RankFile& file);

} // namespace tactus
