// The header that travels before a message's data. Its bytes are the same for every way of putting it there.
//
//   0         8           16        24      32
//   | delay   | send time | send id | check | the application's data, packed
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tactus {

struct MessageHeader {
    double delay = 0;          // the sender's delay in ns, see piggyback/delay.hpp
    double send_time = 0;      // ns on the common clock since its origin; NaN: unknown
    std::uint64_t send_id = 0; // request_number() of the send's record; 0: the send was not recorded
    std::uint64_t check = 0;   // check_of(); a receiver knows a header by it
};
constexpr std::size_t header_bytes = 32;
static_assert(sizeof(MessageHeader) == header_bytes, "the wire's format");

// The envelope of a message, as its receiver sees it (MPI 4.0, 3.2.3).
struct Envelope {
    std::int32_t source; // the sender's rank in the communicator
    std::int32_t tag;
};

// A number that depends on all bits of both.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ typedef unsigned __int128 Product;
    const Product product = static_cast<Product>(a ^ 0x9e3779b97f4a7c15U) * (b ^ 0xd1b54a32d192ed03U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}
constexpr std::uint64_t mix(Envelope envelope, std::uint64_t key) {
    const auto source = static_cast<std::uint32_t>(envelope.source);
    return mix(std::uint64_t{source} << 32U | static_cast<std::uint32_t>(envelope.tag), key);
}

// The check value of a header with an envelope. `key` is a random number that all ranks of the job share. The program's
// own data passes for a header once in 2^64 messages.
constexpr std::uint64_t check_of(const MessageHeader& header, Envelope envelope, std::uint64_t key) {
    return mix(std::bit_cast<std::uint64_t>(header.delay) ^ key, std::bit_cast<std::uint64_t>(header.send_time)) ^
           mix(header.send_id, mix(envelope, key));
}

// The mark that an application's message holds in place of its data, when a side message has the data
// (mpi/side_message.hpp). Its first 4 bytes are a mark by themselves, since some messages have no room for more.
//
//   0                 2             4                 6             8
//   | count, low bits | check value | count, top bits | check value |
constexpr std::uint64_t mark_of(std::uint32_t count, Envelope envelope, std::uint64_t size, std::uint64_t key) {
    const std::uint64_t about = mix(envelope, key) ^ size;
    const std::uint64_t low = (count & 0xffffU) | (mix(count & 0xffffU, about) >> 48U) << 16U;
    const std::uint64_t top = (count >> 16U) | (mix(count, ~about) >> 48U) << 16U;
    return low | top << 32U;
}
// Whether the first 4 or 8 bytes of `mark` may be those of a mark. `length` tells which.
constexpr bool is_mark(std::uint64_t mark, std::size_t length, Envelope envelope, std::uint64_t size,
                       std::uint64_t key) {
    const auto low = static_cast<std::uint32_t>(mark & 0xffffU);
    const auto top = static_cast<std::uint32_t>(mark >> 32U & 0xffffU);
    const std::uint64_t wanted = mark_of(length < sizeof mark ? low : top << 16U | low, envelope, size, key);
    return length < sizeof mark ? static_cast<std::uint32_t>(wanted) == static_cast<std::uint32_t>(mark)
                                : wanted == mark;
}

} // namespace tactus
