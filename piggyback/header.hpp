// What travels before every message's data, the same bytes whichever way they were put there. Pure.
//
//   0         8           16         24
//   | delay   | send time | send id  | the application's data, packed
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus {

struct MessageHeader {
    double delay;          // ns that the sender was late, see piggyback/delay.hpp
    double send_time;      // ns on the common clock since its origin; NaN: unknown
    std::uint64_t send_id; // of the send's record: a request_number(); 0: it was not recorded
};
constexpr std::size_t header_bytes = 24;
static_assert(sizeof(MessageHeader) == header_bytes, "the wire's format");

// Stands in a receive's header until a message has come.
constexpr std::uint64_t no_message_yet = ~std::uint64_t{0};

} // namespace tactus
