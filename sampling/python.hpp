// Finds the functions of a Python program that a thread of this process is in, by what the interpreter keeps of its
// threads, frames and code (CPython 3.11 to 3.13, with a global lock). Nothing of the interpreter is called, no lock
// of it is taken, and the system copies the memory, so that wrong addresses are no danger. The layouts are those of
// CPython's Include/cpython/pystate.h, Include/internal/pycore_frame.h, Include/cpython/code.h and
// Objects/locations.md.
#pragma once

#include "sampling/pages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <sys/types.h>

namespace tactus {

// Where a function of Python is.
struct PythonFrame {
    std::uint64_t code = 0;        // address of its code object,
    std::uint64_t instruction = 0; // and of the instruction
    bool operator==(const PythonFrame&) const = default;
};

struct PythonLine {
    std::string_view function; // with the names of what it was defined in, such as "Solver.step"
    std::string_view file;     // as Python knows it
    std::uint32_t line = 0;    // 0: not known
};

// What a program that has an interpreter defines.
struct PythonSymbols {
    std::uint64_t version = 0;   // value of Py_Version, such as 0x030b02f0; 0: there is none
    std::uint64_t runtime = 0;   // address of _PyRuntime
    std::uint64_t code_type = 0; // of PyCode_Type
};

class Python {
  public:
    // Nothing where this version's layout is not known.
    static std::optional<Python> of(const PythonSymbols& symbols);

    struct Stack {
        std::size_t frames = 0;
        bool complete = false; // all of them are there
    };
    // Stores the functions that a thread is in, the innermost first. None for a thread that is not in Python. The
    // thread may be the calling one, or be blocked; otherwise it goes on meanwhile, so that the innermost functions may
    // be some of those in which it was one after the other. `state` is where the interpreter keeps the thread, 0 where
    // that is not known yet; it is found again where it is wrong. Any thread may call this.
    Stack frames_of(pid_t thread, std::span<PythonFrame> into, std::uint64_t& state) const;

    // Says where a frame is. `pages` must not have memory from before the frame was found. The text lies in `room`, cut
    // off where there is no more of it. False if the code object is gone.
    bool describe(const PythonFrame& frame, Pages& pages, std::span<char> room, PythonLine& line) const;
    // Gives for each of at most most_memory_parts frames a number that tells code objects apart that lay at one address
    // one after the other, but for chance; 0: there is none.
    void identify(std::span<const PythonFrame> frames, std::span<std::uint64_t> identities) const;

  private:
    // Offsets in bytes.
    struct Layout {
        std::uint32_t interpreters, next_interpreter, threads;
        std::uint32_t next_thread, native_id, frame;
        std::optional<std::uint32_t> frame_in_cframe; // a thread has the address of what has that of its frame
        std::uint32_t code, previous, instruction, owner;
        std::uint8_t last_owner; // frames of other owners are the interpreter's own
        std::uint32_t first_line, file, name, line_table, instructions;
        std::uint32_t ascii_text, other_text; // in a string
    };
    Python(const PythonSymbols& symbols, const Layout& layout) : symbols_{symbols}, layout_{layout} {}
    static std::optional<Layout> layout_of(const PythonSymbols& symbols);
    struct State {
        std::uint64_t next = 0;
        std::uint64_t thread = 0; // its number in the system
        std::uint64_t frame = 0;
    };
    bool read_state(std::uint64_t address, State& state) const;
    bool find_state(pid_t thread, std::uint64_t& address, State& state) const;
    std::string_view text_at(std::uint64_t string, Pages& pages, std::span<char> room) const;

    PythonSymbols symbols_;
    Layout layout_;
};

} // namespace tactus
