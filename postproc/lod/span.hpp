// A span is a time in which a thread was in a function: the innermost of those it was inside of. Pure.
#pragma once

#include "trace/function.hpp"
#include "trace/time_map.hpp"

#include <compare>
#include <cstdint>

namespace tactus {

// The numbers of functions in spans, within one rank.
namespace span_function {
constexpr std::uint32_t application = 0;  // outside of MPI and of every region
constexpr std::uint32_t tracer = 1;       // tactus measured clocks, or the thread had no free buffer
constexpr std::uint32_t not_recorded = 2; // VT_traceoff or a filter kept calls out
constexpr std::uint32_t first_mpi = 3;
constexpr std::uint32_t first_symbol = 1U << 16;
constexpr std::uint32_t of(Function function) { return first_mpi + static_cast<std::uint32_t>(function); }
constexpr std::uint32_t of_symbol(std::uint32_t number) { return first_symbol + number; }
} // namespace span_function

struct Span {
    GlobalTime begin = 0;
    GlobalTime end = 0; // later than `begin`
    std::uint32_t function = 0;
    [[nodiscard]] GlobalTime length() const { return end - begin; }
    auto operator<=>(const Span&) const = default;
};

} // namespace tactus
