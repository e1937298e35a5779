// Every single wait of a run, in order of time: what the sums of a finished trace (trace/wait_rows.hpp) are the sums
// of, and what is needed to follow a wait back to what caused it. One process, one thread.
#pragma once

#include "postproc/waits/run_events.hpp"
#include "trace/wait_rows.hpp"

#include <optional>
#include <vector>

namespace tactus {

struct Wait {
    GlobalTime enter = 0;
    GlobalTime given = 0; // it ended
    // When victim and causer were together last, in a collective that waits for all; causes_of() knows of later ones,
    // at which one waited for the other.
    GlobalTime met = 0;
    GlobalTime before = 0;          // what the victim had waited in all, until this
    GlobalTime computed = 0;        // by the victim, until its call took what was given
    GlobalTime causer_computed = 0; // until it gave
    std::uint32_t row = 0;          // of the victim: who caused it, of what kind, where
    // As causes_of() finds them: what of it comes from waits of the causer, and from whom it comes in the end.
    std::uint32_t root = 0;
    GlobalTime indirect = 0;
    [[nodiscard]] GlobalTime time() const { return given - enter; }
};

struct RankWaitList {
    PagedList<Wait> waits;
    std::vector<WaitRow> rows;
};

// What a rank that comes early to MPI_Finalize waits until the last comes, whom it has no call to meet in.
WaitRow at_finalize(std::uint32_t victim, std::uint32_t causer, GlobalTime waited);

// Of each rank, the order as in `run`: in memory, 64 bytes a wait. Waits of one rank that overlap (of its threads) are
// each cut off where the one before it ended. `ends_together`: all ranks came to MPI_Finalize. Nothing where there is
// no room.
std::optional<std::vector<RankWaitList>> list_waits(RunEvents& run, bool ends_together);

} // namespace tactus
