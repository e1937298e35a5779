// What threads were doing when the tracer looked, in a lane of the tracer's own, which no thread has. A sample (Kind
// sample) is a look at one thread, at its enter tick: `type` is the lane of the thread and one more (0: it has none),
// `peer` the system call that the thread was blocked in, or one of the numbers below, `tag` the thread's number in the
// operating system (0 in samples of calls), `comm` the path of functions that it was in, and `place` where in the
// innermost of them it is (as in a path), flag 128 says that not all callers are known, and the words are the `bytes`
// characters of the name of the file that the system call is about.
//
// A sample of a call says who made it: `place` is the place of the call, and `comm` the path of the function's callers.
// If it was taken when the call began, it lasts from the end of what came before to then; otherwise as long as the
// call.
//
// A path (Kind path) is defined before the first sample that is in it: number `comm`, the path `bytes` of its
// callers (0: there are none), and the return address `place` in the innermost of the functions. Of a function that was
// interrupted, that is the address of the next instruction and one.
//
// A place in a function of a program that an interpreter runs has no address. It is defined (Kind script) before the
// first sample or path that it is in: `place` is its number and script_places, `tag` the line (0: not known), and the
// words are `bytes` characters, the first `comm` of them the name of the function, the others that of the file.
#pragma once

#include <cstdint>

namespace tactus::sampled {

constexpr std::uint32_t lane = 0xffffffff;                           // the number of the lane that they are in
constexpr std::uint64_t script_places = std::uint64_t{0xffff} << 48; // greater than any place in a mapped file
constexpr std::int32_t on_core = -1;                                 // by the kernel's count of its time
constexpr std::int32_t blocked_elsewhere = -2;                       // but in no system call
constexpr std::int32_t call_begins = -3;
constexpr std::int32_t call_ends = -4;
constexpr std::int32_t in_python = -5; // in a function of Python, and not blocked
inline bool is_on_core(std::int32_t peer) { return peer == on_core || peer == in_python; }
inline bool is_of_call(std::int32_t peer) { return peer == call_begins || peer == call_ends; }

// The tracer looks at blocked threads, and at those in Python, so often, at so many at a time.
constexpr double between_looks_s = 0.05;
constexpr int threads_a_look = 16;
// A thread samples its calls at most so often.
constexpr double between_calls_s = 0.004;

} // namespace tactus::sampled
