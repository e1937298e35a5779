// Whether what the application says through VT.h is recorded now, and what to answer when it is not.
#pragma once

#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "include/VT.h"

#include <atomic>

namespace tactus {

inline bool vt_records() { // hot
    const Session* now = session;
    return now != nullptr && now->live();
}

// VT_ERR_NOTINITIALIZED before MPI_Init and after MPI_Finalize; VT_OK in a process that is not recorded, which must not
// notice.
int vt_idle();

// While it lives this thread is inside the tracer: what a signal handler does here records nothing.
class Inside {
  public:
    Inside() : first_{thread.depth++ == 0} { std::atomic_signal_fence(std::memory_order_seq_cst); }
    ~Inside() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        --thread.depth;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    // False inside an MPI call (its callback, say): the lane's next slot is that call's.
    [[nodiscard]] bool may_record() const { return first_; }

  private:
    bool first_;
};

} // namespace tactus
