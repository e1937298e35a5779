// What the collector keeps for each thread of the application, and how a thread gets its lane.
#pragma once

#include "writer/lane.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus {

class Call;
struct VtThread;

struct Thread {
    Lane* lane = nullptr;       // made at the first recorded call, given back when the thread ends
    std::uint32_t depth = 0;    // MPI calls this thread is inside of; only the outermost is the application's
    Call* outermost = nullptr;  // while its record is not stored
    std::int64_t words[2] = {}; // of the call being recorded, when it has just these
    void* scratch = nullptr;    // for copies of handles and statuses; grown, never shrunk
    std::size_t scratch_size = 0;
    bool off = false;       // by VT_traceoff
    Ticks begun = 0;        // when the last region or scope began
    VtThread* vt = nullptr; // what VT.h keeps, once the thread uses it
};

// Initial-exec: one instruction to reach, and nothing to allocate in the middle of a call.
extern thread_local constinit Thread thread;

// This thread's lane, made now if need be; nullptr when nothing is to be recorded. Out of line, rare.
Lane* lane_of_this_thread();

// At least `size` bytes, private to this thread until its next call of this; nullptr when memory is refused.
void* scratch(std::size_t size);

} // namespace tactus
