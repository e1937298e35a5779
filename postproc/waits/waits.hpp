// clang-format off
// Who waited for whom, on corrected time. A call that takes something and began before it was given waits from the
// call's beginning until then. The causer is the rank that gave it last. A call that takes from many ranks waits once,
// for the last.
//
//   late sender    in a receive, a probe or a wait, for a message that was not yet sent
//   wrong order    the same, while an earlier message of that sender was there, to be received later
//   late receiver  in a send, or in a wait for sends alone, until the receive was posted, if that was before it ended
//   collectives    for the last of the ranks that it takes from (docs/correction.md says who takes from whom)
//   late complete  in MPI_Win_wait, for the MPI_Win_complete of an origin
// clang-format on
//
// Collective over the wire. The result is the same with any number of processes.
#pragma once

#include "postproc/lod/links.hpp"
#include "postproc/replay/match_events.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/waits/call_facts.hpp"
#include "trace/wait_rows.hpp"

#include <vector>

namespace tactus {

// `ranks` are those of this process, and their events have their final stamps. `take` is called with their messages,
// waits and collectives (postproc/waits/run_links.hpp). `counting`, if any, visits the same replay.
std::vector<RankWaits> find_waits(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                  const std::vector<RankCalls>& calls, const TakeLink& take,
                                  CountingReversed<2>* counting = nullptr);

} // namespace tactus
