// What a callback of NCCL leaves behind: one cache line, written by NCCL's thread, read by the drainer.
#pragma once

#include "base/ticks.hpp"

#include <cstdint>

namespace tactus::nccl {

// What NCCL holds of an event and hands back: never a pointer, always checked. The ring it began in (from 1), its
// number there, and its type.
//   63..56 ring | 55..6 number | 5 in a CUDA graph | 4 unused | 3..0 bit of the type
struct Token {
    std::uint64_t bits = 0;

    // Something that began while nothing was recorded; what is below it is not recorded either.
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

enum class Step : std::uint8_t { start, stop, state, finalize };

// NCCL's words (functions, datatypes, algorithms, protocols) by their codes, see words.hpp.
using Word = std::uint8_t;

constexpr std::uint32_t foreign_context = ~0U;

struct alignas(64) Event {
    Ticks tick = 0;
    std::uint64_t id = 0;     // a Token's bits; of finalize 0
    std::uint64_t parent = 0; // a Token's bits; of foreign work as it came
    // Of a start: bytes of what it moves, in elements · of its sequence, the stamp of the GPU, chunk size, id of a
    // network's descriptor · of the plan it is launched with (Token's bits). Of a state: its argument in `b`.
    std::uint64_t count = 0;
    std::uint64_t b = 0;
    std::uint64_t group = 0;
    std::uint32_t context = 0;
    std::int32_t number = 0; // peer, root, step, state, depth of the group
    Step step{};
    std::uint8_t channels = 0; // how many; of kernel channels and proxy work which
    std::uint8_t warps = 0;
    std::uint8_t flags = 0;
    Word func = 0;
    Word datatype = 0;
    Word algorithm = 0;
    Word protocol = 0;

    static constexpr std::uint8_t foreign = 1;
    static constexpr std::uint8_t sends = 2;
    static constexpr std::uint8_t captured = 4;
    static constexpr std::uint8_t no_stamp = 8;          // of kernel channels: this version has none
    static constexpr std::uint8_t guessed_channels = 16; // garbage where newer NCCLs adapt to this version
};
static_assert(sizeof(Event) == 64, "one cache line");

} // namespace tactus::nccl
