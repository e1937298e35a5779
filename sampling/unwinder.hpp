// Finds the return addresses on a stack of this process, of which it has a copy or which stands still. One thread.
#pragma once

#include "processor.hpp"
#include "sampling/frame_rules.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

struct dl_phdr_info; // of <link.h>

namespace tactus {

struct Registers {
    std::uint64_t pc = 0;
    std::uint64_t sp = 0;
    std::uint64_t fp = 0;
    std::uint64_t ra = 0; // the return address, on a processor that has it in a register; 0: not known
    bool fp_known = true;
    bool operator==(const Registers&) const = default;
};

// The bytes of a stack from its address `begin` on.
struct StackCopy {
    std::uint64_t begin = 0;
    std::span<const std::byte> bytes;
    // The word at an address; false if the copy does not have it.
    bool word(std::uint64_t at, std::uint64_t& value) const;
};

// Copies the stack of a thread of this process from an address on, as much as there is and fits. The thread may go on
// meanwhile.
StackCopy copy_of_stack(std::uint64_t from, std::span<std::byte> into);

// The registers of the function that this is in.
[[gnu::always_inline]] inline Registers own_registers() {
    const processor::Frame own = processor::own_frame();
    return {.pc = own.pc, .sp = own.sp, .fp = own.fp, .ra = own.ra};
}

class Unwinder {
  public:
    struct Path {
        std::size_t frames = 0;
        bool complete = false; // it ends where the thread began
    };
    // Stores the address behind the instruction that the thread is at, then the return addresses outward. `registers`
    // are those of the innermost frame.
    Path walk(Registers registers, const StackCopy& stack, std::span<std::uint64_t> into);
    // To be called when files may have been unmapped since the last walk.
    void forget();

  private:
    struct Known {
        std::uint64_t address = 0; // of an instruction
        FrameRule rule;
    };
    // A mapped file: what it covers, and where its tables lie.
    struct File {
        Mapped all;
        Mapped tables;
        std::uint64_t header = 0;
    };
    static int take_file(dl_phdr_info* info, std::size_t, void* self);
    const FrameRule& rule_at(std::uint64_t address);
    static bool step(const FrameRule& rule, const StackCopy& stack, Registers& registers);

    std::array<Known, 2048> known_{};
    std::array<File, 512> files_{}; // of more files, functions are not known
    std::size_t file_count_ = 0;
    bool files_known_ = false;
    Pages pages_;
};

} // namespace tactus
