// Memory as an interpreter of Python has it, in an input for a fuzzer. Addresses in it are relative: words whose upper
// half has a mark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace python_memory {

constexpr std::size_t size = 4096;
constexpr std::uint64_t code_type = 8; // where its type object lies
constexpr int thread = 7;
constexpr std::uint64_t mark = 0x7ac7'0000'0000'0000;
constexpr std::uint64_t relative(std::uint64_t place) { return mark | place; }

// Makes addresses of the marked words.
inline void point_inside(std::span<std::byte> memory) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= memory.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, memory.data() + at, sizeof word);
        if ((word & ~std::uint64_t{0xffff'ffff}) != mark) continue;
        word = reinterpret_cast<std::uint64_t>(memory.data()) + (word & 0xffff'ffff);
        std::memcpy(memory.data() + at, &word, sizeof word);
    }
}

} // namespace python_memory
