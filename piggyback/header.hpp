// The header that travels before a message's data. Its bytes are the same for every way of putting it there.
//
//   0         8           16         24
//   | delay   | send time | send id  | the application's data, packed
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus {

struct MessageHeader {
    double delay;          // the sender's delay in ns, see piggyback/delay.hpp
    double send_time;      // ns on the common clock since its origin; NaN: unknown
    std::uint64_t send_id; // request_number() of the send's record; 0: the send was not recorded
};
constexpr std::size_t header_bytes = 24;
static_assert(sizeof(MessageHeader) == header_bytes, "the wire's format");

// The send_id in the header of a receive until a message has arrived.
constexpr std::uint64_t no_message_yet = ~std::uint64_t{0};

} // namespace tactus
