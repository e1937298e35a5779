// Waits for locks of windows (MPI-4.0, 12.5.3), which no message tells of: an MPI_Win_lock that had begun when another
// rank began to unlock the same target, and ended after that, waited for it. An MPI that takes its locks later, in the
// calls behind it, waits there: nobody can tell for what. Pure.
#pragma once

#include "postproc/waits/call_facts.hpp"

#include <cstddef>
#include <vector>

namespace tactus {

struct LockWait {
    std::size_t victim = 0; // index of the rank
    std::size_t causer = 0;
    GlobalTime enter = 0;
    GlobalTime given = 0;  // when the causer began to unlock
    GlobalTime locked = 0; // since when it had held the lock
    GlobalTime computed = 0;
    GlobalTime causer_computed = 0;
    CallPlace victim_place;
    CallPlace causer_place;
};

// By victim and time. `calls`: of each rank.
std::vector<LockWait> lock_waits(const std::vector<RankCalls>& calls);

} // namespace tactus
