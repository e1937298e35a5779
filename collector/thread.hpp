// What the collector keeps for each thread of the application, and how a thread gets its lane.
#pragma once

#include "trace/record.hpp"
#include "writer/lane.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

class Call;
struct MessageBuffer;
struct VtThread;

// A call in which the application, in a callback, made the one that is recorded now. Its object is never looked into:
// a longjmp may have taken it away. Its record, which stood in the lane's next slot, waits in the lane.
struct OuterCall {
    const Call* call;
    std::uint32_t depth; // of the call made inside it
    bool skipped;
    Ticks enter;
};

constexpr double no_transit_yet = 1e18;

struct Thread {
    Lane* lane = nullptr;      // made at the first recorded call, given back when the thread ends
    std::uint32_t depth = 0;   // MPI calls this thread is inside of
    std::uint32_t nesting = 0; // of `outer` in use
    const Call* open =
        nullptr; // the innermost recorded one, while the MPI is at work in it: nothing of ours is half done
    Record* record = nullptr;   // where it is written
    bool skipping = false;      // it is only counted
    std::int64_t words[6] = {}; // of the call being recorded, when it has no more than these
    void* scratch = nullptr;    // for copies of handles and statuses; grown, never shrunk
    std::size_t scratch_size = 0;
    bool scratch_taken = false;
    bool off = false;         // VT_traceoff
    bool calibrating = false; // its calls are tries: recorded whatever filters say, and thrown away
    Record unrecorded;        // where a call is written that is only counted
    OuterCall outer[most_nested_calls] = {};
    std::uintptr_t stack_begin = 0; // known once a call was nested
    std::uintptr_t stack_end = 0;
    Ticks begun = 0; // when the last region or scope began
    MessageBuffer* spare_message_buffers = nullptr;
    bool looks = false;                  // at requests that the application freed
    std::uint64_t calls = 0;             // recorded
    double delay_ns = 0;                 // what piggyback/mpi/delays.cpp adds to what these cost
    double transit_ns = no_transit_yet;  // how long the quickest message was under way
    std::span<const std::int64_t> names; // see Call::names
    std::int64_t named[2] = {};          // the number of the message sent, and of the one received
    std::int64_t delays[2] = {}; // nanoseconds at enter and at leave of the call being recorded; see Call::was_delayed
    VtThread* vt = nullptr;      // what VT.h keeps, once the thread uses it
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

// This thread's lane, made now if need be; nullptr when nothing is to be recorded. Out of line, rare.
Lane* lane_of_this_thread();

} // namespace tactus
