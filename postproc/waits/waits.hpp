// clang-format off
// Who waited for whom, on corrected time. Whoever takes something in a call that began before it was given waits from
// the call's beginning until then; whose giving came last caused it. A call that takes from many waits once, for the
// last.
//
//   late sender    in a receive, a probe or a wait, for a message that was not yet sent
//   wrong order    the same, while an earlier message of that sender was there, to be received later
//   late receiver  in a send, or in a wait for sends alone, until the receive was posted, if that was before it ended
//   collectives    for the last of those that it takes from (docs/correction.md says who takes from whom)
//   late complete  in MPI_Win_wait, for the MPI_Win_complete of an origin
// clang-format on
//
// Collective over the wire, the same result with any number of processes.
#pragma once

#include "postproc/lod/links.hpp"
#include "postproc/replay/match_events.hpp"
#include "postproc/waits/call_facts.hpp"
#include "trace/wait_rows.hpp"

#include <vector>

namespace tactus {

// Of the ranks of this process, whose events have their final stamps. `take` is given their messages, waits and
// collectives (postproc/waits/run_links.hpp).
std::vector<RankWaits> find_waits(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                  const std::vector<RankCalls>& calls, const TakeLink& take);

} // namespace tactus
