// What is specific to 64-bit ARM. The include path chooses between this file and base/processor/x86_64/processor.hpp.
#pragma once

#include "base/timer.hpp"
#include "read_counter.h"

#include <arm_neon.h>
#include <array>
#include <cstdint>
#include <elf.h>
#include <linux/perf_event.h>

namespace tactus::processor {

inline constexpr const char* multiarch = "aarch64-linux-gnu"; // in the names of folders of libraries

// The counter that is a timer. It counts at 24 MHz to 1 GHz, so that several calls may begin and end between two of its
// counts. Stamps of a lane increase strictly all the same, by one tick. So that these ticks are short, a count of the
// counter is a power of two of them: a second has 2 to 4 billion, whatever the counter's frequency.
inline constexpr Timer counter = Timer::cntvct;
inline constinit unsigned ticks_of_a_count = 0; // as a number of bits; the same for all processes of a machine
// Whether it counts at one speed, on all cores the same.
bool is_counter_steady();
// To be called before the counter is read.
void prepare_counter();
inline std::uint64_t count() { return read_counter() << ticks_of_a_count; } // hot

// Tells the core that this thread waits in a loop.
inline void pause() { asm volatile("yield" : : : "memory"); }

// The nearest integer, of two the even one.
inline std::int64_t nearest(double value) { return vcvtnd_s64_f64(value); }

// Traps, rounding (FPCR) and flags (FPSR) of floating-point numbers.
struct FloatState {
    std::uint64_t control;
    std::uint64_t status;
};
inline constexpr FloatState default_float_state{}; // no traps, no flags, rounding to nearest
inline FloatState float_state() {
    FloatState state;
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(state.control), "=r"(state.status));
    return state;
}
inline void set_float_state(FloatState state) {
    asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(state.control), "r"(state.status) : "memory");
}

// Relocations by which the dynamic linker stores a function's address.
inline constexpr auto is_address_of_function = [](auto type) {
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
};
inline constexpr auto bound_at_first_call = R_AARCH64_JUMP_SLOT;

// Frames on the stack (Procedure Call Standard for the Arm 64-bit Architecture, 6.4; DWARF for the same, 4). The
// numbers of registers are those of DWARF.
inline constexpr std::uint64_t frame_pointer = 29;
inline constexpr std::uint64_t stack_pointer = 31;
inline constexpr std::uint64_t return_address = 30;
// The canonical frame address is the stack pointer before the call, which put the return address into its register.
inline constexpr std::int64_t cfa_at_entry = 0;
inline constexpr bool call_pushes = false;
// The upper bits of a return address on the stack may be a signature, which xpaclri (hint 7) takes away.
inline std::uint64_t without_signature(std::uint64_t address) {
    asm("mov x30, %0\n\thint #7\n\tmov %0, x30" : "+r"(address) : : "x30");
    return address;
}
// Whether an instruction of the tables says that the return address is signed from there on.
inline bool signs_return_address(std::uint8_t instruction) {
    constexpr std::uint8_t negate_ra_state = 0x2d;
    constexpr std::uint8_t negate_ra_state_with_pc = 0x2c;
    return instruction == negate_ra_state || instruction == negate_ra_state_with_pc;
}

struct Frame {
    std::uint64_t pc;
    std::uint64_t sp;
    std::uint64_t fp;
    std::uint64_t ra;
};
// That of the function that this is in.
[[gnu::always_inline]] inline Frame own_frame() {
    Frame own;
    asm volatile("mov %0, x29\n\tmov %1, sp\n\tmov %2, x30\n\tadr %3, ."
                 : "=&r"(own.fp), "=&r"(own.sp), "=&r"(own.ra), "=&r"(own.pc));
    return own;
}

// Reads the registers of the function that a signal interrupted. `word` reads a word of the stack behind the frame of
// the handler, where the kernel put a siginfo_t and a ucontext_t.
template <class Word> bool read_interrupted(const Word& word, Frame& frame) {
    constexpr std::uint64_t registers = 128 + 176 + 8;
    return word(registers + 8 * 32, frame.pc) && word(registers + 8 * 31, frame.sp) &&
           word(registers + 8 * 29, frame.fp) && word(registers + 8 * 30, frame.ra);
}
// The code by which a handler returns, which the kernel provides without a table: mov x8, #139 (rt_sigreturn); svc #0.
inline constexpr std::array<std::uint32_t, 2> signal_return{0xd2801168, 0xd4000001};

// The registers that a sample of the kernel's has, in the order of their numbers in perf_regs.h.
struct SampledRegisters {
    std::uint64_t fp;
    std::uint64_t ra;
    std::uint64_t sp;
    std::uint64_t pc;
};
inline constexpr std::uint64_t sampled_registers = 0xfULL << 29;

// The registers that count are read through the kernel: it lets programs read them only where an administrator says so.
inline bool reads_counting_registers(const perf_event_mmap_page&) { return false; }
inline std::uint64_t counting_register(std::uint32_t) { return 0; }

} // namespace tactus::processor
