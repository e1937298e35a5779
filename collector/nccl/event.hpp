// The event that a callback of NCCL writes: one cache line, written by NCCL's thread and read by the drainer.
#pragma once

#include "base/ticks.hpp"

#include <cstdint>

namespace tactus::nccl {

// The handle of an event, which NCCL keeps and passes back. It is never a pointer, and it is always checked. It holds
// the ring in which the event began (from 1), the event's number there, and its type.
//   63..56 ring | 55..6 number | 5 in a CUDA graph | 4 unused | 3..0 bit of the type
struct Token {
    std::uint64_t bits = 0;

    // An event that began while nothing was recorded. What is below it is not recorded either.
    static constexpr std::uint64_t off = 1;
    static constexpr unsigned number_shift = 6;
    static constexpr unsigned ring_shift = 56;
    static constexpr std::uint64_t captured_bit = 32;

    static Token of(unsigned ring, std::uint64_t number, unsigned type, bool captured) {
        return {std::uint64_t{ring + 1} << ring_shift | (number << number_shift & ((1ULL << ring_shift) - 1)) |
                (captured ? captured_bit : 0) | type};
    }
    static Token from(const void* handle) { return {reinterpret_cast<std::uintptr_t>(handle)}; }
    [[nodiscard]] void* handle() const { return reinterpret_cast<void*>(bits); } // NOLINT(performance-no-int-to-ptr)
    [[nodiscard]] bool is_off() const { return bits == off; }
    [[nodiscard]] unsigned ring() const { return static_cast<unsigned>(bits >> ring_shift); } // 0: none
    [[nodiscard]] std::uint64_t number() const { return (bits & ((1ULL << ring_shift) - 1)) >> number_shift; }
    [[nodiscard]] unsigned type() const { return bits & 15; }
    [[nodiscard]] bool captured() const { return (bits & captured_bit) != 0; }
};

enum class Moment : std::uint8_t { start, stop, state, finalize };

// The code of a word of NCCL (a function, datatype, algorithm or protocol), see words.hpp.
using Word = std::uint8_t;

constexpr std::uint32_t foreign_context = ~0U;

struct alignas(64) Event {
    Ticks tick = 0;
    std::uint64_t id = 0;     // a Token's bits; 0 at finalize
    std::uint64_t parent = 0; // a Token's bits; of foreign work what NCCL passed
    // What the event moves: elements for an operation or a call; bytes for a step of the proxy, network work or a batch
    // of copies.
    std::uint64_t count = 0;
    // The kind of event says which one of these is valid, if any.
    union {
        std::uint64_t sequence = 0;    // of a collective operation in its communicator
        std::uint64_t gpu_stamp;       // of a kernel channel, at its start or its stop; 0: not known
        std::uint64_t steps_and_chunk; // of a proxy operation: number of steps << 32 | bytes of a chunk
        std::uint64_t network_id;      // of network work: the queue pair or the descriptor
    };
    union {
        std::uint64_t plan = 0; // of an operation: the group it is launched with, a Token's bits
        std::uint64_t pid;      // of a proxy operation: the process it is for
    };
    std::uint32_t context = 0;
    union {
        std::int32_t number = 0; // whichever of these is valid
        std::int32_t peer;       // of a message, or a proxy operation
        std::int32_t root;       // of a collective operation or call
        std::int32_t step;       // of the proxy
        std::int32_t state;      // of a state event; of the proxy's control the last state
        std::int32_t depth;      // of a group of calls
        std::int32_t source;     // of network work: which plugin
        std::int32_t operations; // of a batch of copies
        std::int32_t ranks;      // of a synchronization of copies: how many take part
    };
    Moment moment{};
    std::uint8_t channels = 0; // how many; of kernel channels and proxy work: which one
    std::uint8_t warps = 0;
    std::uint8_t flags = 0;
    Word func = 0;
    Word datatype = 0;
    Word algorithm = 0;
    Word protocol = 0;

    static constexpr std::uint8_t foreign = 1;
    static constexpr std::uint8_t sends = 2;
    static constexpr std::uint8_t captured = 4;
    static constexpr std::uint8_t no_stamp = 8;          // of kernel channels: this version has no GPU stamps
    static constexpr std::uint8_t guessed_channels = 16; // their number is garbage where newer NCCLs adapt to a version
};
static_assert(sizeof(Event) == 64, "one cache line");

} // namespace tactus::nccl
