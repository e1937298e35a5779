// What is specific to x86-64. The include path chooses between this file and base/processor/aarch64/processor.hpp.
#pragma once

#include "base/timer.hpp"
#include "read_counter.h"

#include <array>
#include <cstdint>
#include <elf.h>
#include <linux/perf_event.h>
#include <x86intrin.h>

namespace tactus::processor {

inline constexpr const char* multiarch = "x86_64-linux-gnu"; // in the names of folders of libraries

// The counter that is a timer.
inline constexpr Timer counter = Timer::tsc;
// Whether it counts at one speed, on all cores the same.
bool is_counter_steady();
// To be called before the counter is read.
inline void prepare_counter() {}
inline std::uint64_t count() { return read_counter(); } // hot

// Tells the core that this thread waits in a loop.
inline void pause() { _mm_pause(); }

// The nearest integer, of two the even one.
inline std::int64_t nearest(double value) { return _mm_cvtsd_si64(_mm_set_sd(value)); }

// Traps, flags and rounding of floating-point numbers. tactus computes with doubles only, in SSE registers, so MXCSR is
// all that it changes.
using FloatState = unsigned;
inline constexpr FloatState default_float_state = 0x1f80; // all exceptions masked, no flags, rounding to nearest
inline FloatState float_state() { return _mm_getcsr(); }
inline void set_float_state(FloatState state) { _mm_setcsr(state); }

// Relocations by which the dynamic linker stores a function's address.
inline constexpr auto is_address_of_function = [](auto type) {
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
};
inline constexpr auto bound_at_first_call = R_X86_64_JUMP_SLOT;

// Frames on the stack (System V ABI for AMD64, 3.2.2 and 3.6.2). The numbers of registers are those of DWARF.
inline constexpr std::uint64_t frame_pointer = 6;
inline constexpr std::uint64_t stack_pointer = 7;
inline constexpr std::uint64_t return_address = 16;
// The canonical frame address is the stack pointer before the call, which pushed the return address.
inline constexpr std::int64_t cfa_at_entry = 8;
inline constexpr bool call_pushes = true;
inline std::uint64_t without_signature(std::uint64_t address) { return address; }

// Whether an instruction of the tables says that the return address is signed from there on.
inline bool signs_return_address(std::uint8_t) { return false; }

struct Frame {
    std::uint64_t pc;
    std::uint64_t sp;
    std::uint64_t fp;
    static constexpr std::uint64_t ra = 0; // no register holds the return address
};
// That of the function that this is in. The frame pointer first: one of the others may be put into its register.
[[gnu::always_inline]] inline Frame own_frame() {
    Frame own;
    asm volatile("movq %%rbp, %0\n\tmovq %%rsp, %1\n\tleaq 0(%%rip), %2" : "=r"(own.fp), "=r"(own.sp), "=r"(own.pc));
    return own;
}

// Reads the registers of the function that a signal interrupted. `word` reads a word of the stack behind the frame of
// the handler, where the kernel put a ucontext_t.
template <class Word> bool read_interrupted(const Word& word, Frame& frame) {
    constexpr std::uint64_t registers = 40;
    return word(registers + 8 * 16, frame.pc) && word(registers + 8 * 15, frame.sp) &&
           word(registers + 8 * 10, frame.fp);
}
inline constexpr std::array<std::uint8_t, 0> signal_return{}; // the C library's code has a table

// The registers that a sample of the kernel's has, in the order of their numbers in perf_regs.h.
struct SampledRegisters {
    std::uint64_t fp;
    std::uint64_t sp;
    std::uint64_t pc;
    static constexpr std::uint64_t ra = 0;
};
inline constexpr std::uint64_t sampled_registers = 1U << 6 | 1U << 7 | 1U << 8;

// Whether the kernel lets this program read the registers that count, and tells the times that belong to them.
inline bool reads_counting_registers(const perf_event_mmap_page& page) {
    return page.cap_user_rdpmc != 0 && page.cap_user_time != 0;
}
inline std::uint64_t counting_register(std::uint32_t number) {
    return static_cast<std::uint64_t>(__builtin_ia32_rdpmc(static_cast<int>(number)));
}

} // namespace tactus::processor
