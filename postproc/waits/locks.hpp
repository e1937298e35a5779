// Waits for locks of windows (MPI-4.0, 12.5.3), of which no message tells. An MPI_Win_lock waited for another rank if
// it had begun when that rank began to unlock the same target, and ended after that. Some MPIs take the lock only in a
// later call, and wait there; such a wait cannot be recognized. Pure.
#pragma once

#include "postproc/waits/call_facts.hpp"

#include <cstddef>
#include <vector>

namespace tactus {

struct LockWait {
    std::size_t victim = 0; // index of the rank in `calls`
    std::size_t causer = 0;
    GlobalTime enter = 0;
    GlobalTime given = 0;  // when the causer began to unlock
    GlobalTime locked = 0; // since when the causer had held the lock
    GlobalTime computed = 0;
    GlobalTime causer_computed = 0;
    CallPlace victim_place;
    CallPlace causer_place;
};

// `calls` has one item for each rank. The waits are sorted by victim and time.
std::vector<LockWait> lock_waits(const std::vector<RankCalls>& calls);

} // namespace tactus
