// Who makes MPI calls. Now and then a thread copies the stack above the call that it makes, and tactus's own thread
// finds the callers in the copy. So a call needs no lock, no memory and no tables for that. Any thread may copy; one
// takes.
#pragma once

#include "base/ticks.hpp"
#include "sampling/python.hpp"
#include "sampling/unwinder.hpp"

#include <cstdint>
#include <span>

namespace tactus {

// A call at whose begin or end a thread looks at its own stack.
struct SampledCall {
    std::uint64_t place = 0;
    std::int32_t moment = 0; // call_begins or call_ends of trace/sample.hpp
    Ticks at = 0;
    Ticks stands_for = 0;   // how long ago the thread was sampled before
    std::uint32_t lane = 0; // number of the thread's lane
};

enum class Copied : std::uint8_t { yes, no_room, refused };

// Called before the first copy, if the program runs in an interpreter: the functions of Python that a thread is in are
// to be kept, too.
void find_python_in_calls(const Python& python);

// Copies the calling thread's stack. Where there is no room the sample is counted as lost. The system may refuse to
// copy. `python_state` is the thread's, for Python::frames_of().
Copied copy_call_stack(const SampledCall& call, std::uint64_t& python_state);

struct CallStack {
    SampledCall call;
    Registers registers; // of the function of tactus that made the copy
    StackCopy stack;
    std::span<const PythonFrame> python;
    bool all_of_python = false;
};

// Calls `use` with each copy that there is now, those that were begun first before the others. The memory of one can be
// used again when `use` returns.
void take_call_stacks(void (*use)(void* context, const CallStack& copy), void* context);
// The memory for copies that was touched at any time, in bytes.
std::size_t memory_of_call_stacks();
// How many samples were lost, until now.
std::uint64_t lost_call_stacks();

} // namespace tactus
