// What the collector keeps for each thread of the application, and how a thread gets its lane.
#pragma once

#include "collector/stretches.hpp"
#include "trace/record.hpp"
#include "writer/lane.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus {

struct VtThread;

constexpr Function no_function{0xffff};

// A call around the one that is recorded now, which the application made in a callback. Of its Call or RepeatedCall
// only the address is used, because a longjmp may have ended it. Its record, which was in the lane's next slot, is set
// aside in the lane.
struct OuterCall {
    const void* call;
    std::uint32_t depth; // of the call made inside it
    bool skipped;
    Ticks enter;
};

struct Thread {
    Lane* lane = nullptr;      // made at the first recorded call, given back when the thread ends
    std::uint32_t depth = 0;   // MPI calls this thread is inside of
    std::uint32_t nesting = 0; // how many of `outer` are in use
    // The innermost recorded call, while the MPI is at work in it. While it is set, tactus's state is consistent.
    const void* open = nullptr;
    Record* record = nullptr; // where that call is written
    bool skipping = false;    // that call is only counted
    Ticks next_reading = 0;   // when to read again what the operating system counts
    void* scratch = nullptr;  // for copies of handles and statuses; grown, never shrunk
    std::size_t scratch_size = 0;
    bool scratch_taken = false;
    std::uint32_t end_rounds = 0;     // rounds of destructors of thread-specific data that have begun
    Function procedure = no_function; // ProcedureCalls says what this is
    bool off = false;                 // nothing is recorded now (VT_traceoff)
    bool begins_off = false;          // VT_traceoff was called before the thread had anything to record
    bool calibrating = false;         // its calls are trials: recorded whatever filters say, and thrown away
    bool keeps_equal_calls = false;   // equal calls in a row are separate records, so that their cost can be measured
    Record unrecorded;                // where a call that is only counted is written
    LastReading last_reading;
    OuterCall outer[most_nested_calls] = {};
    std::uintptr_t stack_begin = 0; // known once a call was nested
    std::uintptr_t stack_end = 0;
    Ticks begun = 0;        // when the last region or scope began
    VtThread* vt = nullptr; // what VT.h keeps, once the thread uses it
};

// In the initial-exec model one instruction reaches it, and nothing is allocated in the middle of a call.
extern thread_local constinit Thread thread;

// Exists while tactus's state is inconsistent. A signal handler's MPI call then finds no open call and passes
// unrecorded.
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
    const void* open_ = thread.open;
};

// Says which C function a Fortran procedure of the MPI calls, while that procedure is called.
class ProcedureCalls {
  public:
    explicit ProcedureCalls(Function function) { thread.procedure = function; }
    ~ProcedureCalls() { thread.procedure = no_function; }
    ProcedureCalls(const ProcedureCalls&) = delete;
    ProcedureCalls& operator=(const ProcedureCalls&) = delete;
};

// Says that its C function is called now, which may call the application's callbacks.
class InsideProcedure {
  public:
    explicit InsideProcedure(Function function) : function_{function} { thread.procedure = no_function; }
    ~InsideProcedure() { thread.procedure = function_; }
    InsideProcedure(const InsideProcedure&) = delete;
    InsideProcedure& operator=(const InsideProcedure&) = delete;

  private:
    Function function_;
};

// Called at the first MPI call. From now on the collector notices when a thread that has a lane ends, and forks.
void watch_threads();

// This thread's lane, made now if need be; nullptr when nothing is to be recorded or memory is refused. Rarely called.
Lane* lane_of_this_thread();

} // namespace tactus
