// Says whether calls of VT.h are recorded now, and what they return when they are not.
#pragma once

#include "api/VT.h"
#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "collector/vt/names.hpp"
#include "collector/vt/threads.hpp"

#include <atomic>

namespace tactus {

inline bool vt_records() { // hot
    const Session* now = session;
    return now != nullptr && now->live();
}

// What to return when nothing is recorded: VT_ERR_NOTINITIALIZED before MPI_Init and after MPI_Finalize. It is VT_OK in
// a process that is not recorded, because the application must not notice that.
int vt_idle();

// Returns `code` for a call that did nothing, and counts the call. A call before MPI_Init is counted once there is a
// trace.
int refused(int code, Loss kind = Loss::vt_refused);
void count_early_refusals();

// The number of a location that the program names; 0, and counted, when nobody had defined it.
inline std::int32_t number_of_location(int scl) { // hot
    const std::int32_t number = vt_names.scl(scl);
    if (number == 0 && scl != VT_NOSCL) [[unlikely]]
        refused(VT_OK, Loss::vt_no_location);
    return number;
}

// While it exists, this thread is inside the tracer: a signal handler in this thread records nothing, and MPI_Finalize
// in another thread waits.
class Inside {
  public:
    Inside() : first_{thread.depth++ == 0} { // hot
        std::atomic_signal_fence(std::memory_order_seq_cst);
        own_ = thread.vt != nullptr ? thread.vt : make_vt_thread();
        if (own_ == nullptr) [[unlikely]]
            return;
        was_busy_ = own_->busy.load(std::memory_order_relaxed);
        // This store comes before vt_records() below. The barrier in vt_threads_are_out() makes it so for other
        // threads, too.
        own_->busy.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        records_ = vt_records();
    }
    ~Inside() { // hot
        if (own_ != nullptr) [[likely]]
            own_->busy.store(was_busy_, std::memory_order_release); // pairs with the acquire in vt_threads_are_out()
        std::atomic_signal_fence(std::memory_order_seq_cst);
        --thread.depth;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    // nullptr when memory is refused, or the run has just ended.
    [[nodiscard]] VtThread* own() const { return records_ ? own_ : nullptr; }
    // What to return then.
    [[nodiscard]] int refusal() const { return own_ == nullptr && vt_records() ? VT_ERR_NOMEMORY : vt_idle(); }
    // False inside an MPI call (in its callback, for example), because the lane's next slot is that call's.
    [[nodiscard]] bool may_record() const { return first_; }

  private:
    bool first_;
    bool was_busy_ = false;
    bool records_ = false;
    VtThread* own_ = nullptr;
};

} // namespace tactus
