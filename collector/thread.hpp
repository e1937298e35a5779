// What the collector keeps for each thread of the application, and how a thread gets its lane.
#pragma once

#include "trace/record.hpp"
#include "writer/lane.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus {

class Call;
struct VtThread;

// A call in which the application, in a callback, made the one that is recorded now. Its object is never looked into:
// a longjmp may have taken it away. Its record, which stood in the lane's next slot, waits in the lane.
struct OuterCall {
    const Call* call;
    std::uint32_t depth; // of the call made inside it
    bool skipped;
    Ticks enter;
};

struct Thread {
    Lane* lane = nullptr;      // made at the first recorded call, given back when the thread ends
    std::uint32_t depth = 0;   // MPI calls this thread is inside of
    std::uint32_t nesting = 0; // of `outer` in use
    // The innermost recorded one, while the MPI is at work in it: nothing of ours is half done.
    const Call* open = nullptr;
    Record* record = nullptr; // where it is written
    bool skipping = false;    // it is only counted
    void* scratch = nullptr;  // for copies of handles and statuses; grown, never shrunk
    std::size_t scratch_size = 0;
    bool scratch_taken = false;
    bool off = false;         // VT_traceoff
    bool calibrating = false; // its calls are tries: recorded whatever filters say, and thrown away
    Record unrecorded;        // where a call is written that is only counted
    OuterCall outer[most_nested_calls] = {};
    std::uintptr_t stack_begin = 0; // known once a call was nested
    std::uintptr_t stack_end = 0;
    Ticks begun = 0;        // when the last region or scope began
    VtThread* vt = nullptr; // what VT.h keeps, once the thread uses it
};

// Initial-exec: one instruction to reach, and nothing to allocate in the middle of a call.
extern thread_local constinit Thread thread;

// While it lives, a call made by a signal handler finds none open and passes unrecorded: something of ours is half
// done.
class HalfDone {
  public:
    HalfDone() {
        thread.open = nullptr;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~HalfDone() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        thread.open = open_;
    }
    HalfDone(const HalfDone&) = delete;
    HalfDone& operator=(const HalfDone&) = delete;

  private:
    const Call* open_ = thread.open;
};

// At the first MPI call: from now on the end of a thread that has a lane is noticed, and the child of a fork.
void watch_threads();

// This thread's lane, made now if need be; nullptr when nothing is to be recorded. Out of line, rare.
Lane* lane_of_this_thread();

} // namespace tactus
