// How to get from a frame on a thread's stack to the frame that called it, by the tables in .eh_frame of a mapped file
// (DWARF 5, 6.4; Linux Standard Base, 10.6). It reads only the memory that it is given; any bytes in it, and memory
// that goes away meanwhile, are safe.
#pragma once

#include "sampling/pages.hpp"

#include <cstdint>

namespace tactus {

// The canonical frame address (CFA) is the stack pointer before the call.
struct FrameRule {
    enum class Kind : std::uint8_t {
        unknown,     // no table covers the address, or it says something that this does not know
        by_sp,       // CFA = stack pointer + cfa
        by_fp,       // CFA = frame pointer + cfa
        by_fp_deref, // CFA = the word at frame pointer + cfa: a function that realigned its stack
        signal,      // the frame below was interrupted by a signal; its registers lie on the stack
        last         // nothing called this function
    };
    static constexpr std::int32_t not_saved = 1;
    Kind kind = Kind::unknown;
    std::int32_t cfa = 0;
    std::int32_t fp = not_saved; // where the caller's frame pointer was saved, from the CFA
    std::int32_t ra = not_saved; // where the return address was saved, from the CFA; else it is in its register
};

// A part of this process's memory in which tables lie.
struct Mapped {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The rule for an instruction at `address`. `header`: where .eh_frame_hdr begins, within `memory`.
FrameRule frame_rule(Pages& pages, Mapped memory, std::uint64_t header, std::uint64_t address);

} // namespace tactus
