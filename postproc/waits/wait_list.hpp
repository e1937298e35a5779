// Lists every single wait of a run in order of time. A finished trace stores only their sums (trace/wait_rows.hpp); the
// list also has what is needed to follow a wait back to its cause. One process, one thread.
#pragma once

#include "postproc/waits/run_events.hpp"
#include "trace/wait_rows.hpp"

#include <map>
#include <optional>
#include <vector>

namespace tactus {

struct Wait {
    GlobalTime enter = 0;
    GlobalTime given = 0; // when the wait ended
    // When victim and causer were together last, in a collective that waits for all. causes_of() also considers later
    // meetings, at which one waited for the other.
    GlobalTime met = 0;
    GlobalTime before = 0;          // how long the victim had waited in all before this wait
    GlobalTime computed = 0;        // what the victim had computed until its call took what was given
    GlobalTime causer_computed = 0; // what the causer had computed until it gave
    // Index in RankWaitList::rows of the victim; the row says who caused the wait, of what kind, and where.
    std::uint32_t row = 0;
    // Set by causes_of(): the root of the wait (in Causes::roots), and how much of it comes from waits of the causer.
    std::uint32_t root = 0;
    GlobalTime indirect = 0;
    [[nodiscard]] GlobalTime time() const { return given - enter; }
};

struct RankWaitList {
    PagedList<Wait> waits;
    std::vector<WaitRow> rows;
    // How much of the waits another order of receives could have saved, at most, by place (receive_order.hpp).
    std::map<std::uint64_t, GlobalTime> fixed_order;
};

// The wait of a rank at the end, in the function `end`, until the last rank comes. No event of the replay stands for
// it.
WaitRow at_finalize(std::uint32_t victim, std::uint32_t causer, GlobalTime waited, Function end);

// One list for each rank, in the order of `run`, in memory, with 64 bytes a wait. Where waits of several threads of a
// rank overlap, each begins no earlier than the wait before it ended. `ends_together` says that all ranks came to
// MPI_Finalize. Returns nothing if there is no room.
std::optional<std::vector<RankWaitList>> list_waits(RunEvents& run, bool ends_together);

} // namespace tactus
