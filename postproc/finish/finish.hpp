// Finishes a trace after its run: puts all ranks on one clock, by which nothing is received before it was sent, and
// finds the waits. The steps are:
//
//   measured rounds > fit > refined by messages > corrected by ECLC > counted again, as a reader sees it > waits
//     > the times without the tracer
//
// This is collective over the wire, and gives the same result with any number of processes. It writes nothing.
#pragma once

#include "postproc/eclc/eclc.hpp"
#include "postproc/waits/run_links.hpp"
#include "trace/rank_file.hpp"
#include "trace/shift_map.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct FinishOptions {
    bool refine = true;          // by messages
    bool correct = true;         // by ECLC
    std::optional<double> decay; // 1 - gamma; none: five times the drift of the worst clock
    EclcOptions eclc;
    bool waits = true;          // who waited for whom
    bool compensate = false;    // compute the run without the tracer
    bool measure_links = false; // whether rounds give the least time of messages between ranks with different clocks
    PagingTo paging;            // where the events of a rank lie
    // If any process has more than these, finish() stops with done = false.
    std::size_t most_events = std::numeric_limits<std::size_t>::max();       // events of a rank
    std::uint64_t most_messages = std::numeric_limits<std::uint64_t>::max(); // to the ranks of a process
    std::uint64_t most_comings = std::numeric_limits<std::uint64_t>::max(); // entries into collectives that may be open
    // Refinements of the clocks from another source than messages, by index into Trace::ranks; nullptr: refine by
    // messages.
    const std::vector<ShiftMap>* shifts = nullptr;
    std::optional<std::int64_t> origin_realtime_ns; // when rank 0 started; none: as in the trace
};

struct Finished {
    // False: the wire broke, time was up, or a limit was exceeded; then the rest means nothing.
    bool done = true;
    std::vector<std::uint32_t> ranks; // the ranks that this process played, as indices into Trace::ranks
    // The next four are in the order of `ranks`. The last three are empty when they were not computed.
    std::vector<ProcessClock> clocks;
    std::vector<RankWaits> waits;
    // Blocks of messages, waits and collectives (link_blocks), none for a rank whose file has them.
    std::vector<std::vector<Bytes>> links;
    std::vector<CompensatedRank> compensated;
    std::uint64_t run = 0;         // identity of the clocks of all ranks (run_identity)
    ClockQuality quality;          // of all ranks
    std::vector<Error> unreadable; // of the ranks of this process
};

// Is called when a step begins, with its name.
using TellProgress = std::function<void(const char* what)>;

// `trace` has the ranks that this process plays, with clocks that were fitted to one. One thread of each process calls
// this.
Finished finish(const Trace& trace, ReplayWire& wire, const FinishOptions& options, const TellProgress& tell);

} // namespace tactus
