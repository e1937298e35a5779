// What the operating system counts for the threads that make calls, stretch by stretch (trace/stretch.hpp): each thread
// reads it for itself, at the enter or the leave of a call, when its last reading is a millisecond old or older. So a
// long call and a long time outside of MPI begin and end with a reading. Calls from callbacks never read. Where
// readings take long, there are fewer: all together they take at most 0.2 % of the thread's time. With some of them the
// thread copies its stack (call_stacks.hpp), which takes at most as much again.
#pragma once

#include "base/thread_use.hpp"
#include "base/ticks.hpp"
#include "sampling/thread_counters.hpp"

#include <cstdint>

namespace tactus {

class Lane;
struct SampledCall;

// What a thread keeps from its last reading.
struct LastReading {
    Ticks at = 0; // 0: there was none
    ThreadUse use;
    Ticks cost = 0;      // of a reading, without what follows; an average
    Ticks waited_at = 0; // when the time without a core was read last, which is asked for less often
    Ticks waited_cost = 0;
    std::int64_t waited_ns = -1;
    double off_core_ns = 0;         // since then
    Ticks sampled_at = 0;           // when the stack was copied last; 0: never
    Ticks next_stack = 0;           // when it is to be copied again
    Ticks stack_cost = 0;           // of a copy, an average
    std::uint64_t python_state = 0; // for Python::frames_of()
    ThreadCounters counters;        // opened at the first reading
};

// Called once, when the trace is open: from now on threads read. `tick_ns` is the length of a tick; `stacks` says
// whether they copy their stacks.
void begin_stretches(double tick_ns, bool stacks);

// Reads, and stores the stretch since the last reading in the calling thread's lane. It is called between two calls,
// and sets Thread::next_reading. `call` is the one that begins or ends now; nullptr: none does.
void note_stretch(Lane& lane, const SampledCall* call = nullptr);

} // namespace tactus
