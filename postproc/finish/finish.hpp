// What makes a trace whole after its run: one clock for all ranks, by which nothing is received before it was sent.
//
//   measured rounds > fit > refined by messages > corrected by ECLC > counted again, as a reader sees it > waits
//     > the times without the tracer
//
// Collective over the wire, the same result with any number of processes. Nothing is written here.
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
    std::optional<double> decay; // 1 - gamma; none: by how far the clocks may drift
    EclcOptions eclc;
    bool waits = true;          // who waited for whom
    bool measure_links = false; // messages between clocks take a least time, by the rounds that measured them
    PagingTo paging;            // of the events of a rank
    // More of these, of a process, are refused.
    std::size_t most_events = std::numeric_limits<std::size_t>::max();       // of a rank
    std::uint64_t most_messages = std::numeric_limits<std::uint64_t>::max(); // to ranks of a process
    std::uint64_t most_comings = std::numeric_limits<std::uint64_t>::max();  // to collectives that are open
    // What clocks lack, by index of Trace::ranks, where something else than messages says it; nullptr: messages do.
    const std::vector<ShiftMap>* shifts = nullptr;
    std::optional<std::int64_t> origin_realtime_ns; // of rank 0's start; none: the trace has it
};

struct Finished {
    bool done = true;                         // false: the wire broke, or time was up; the rest means nothing
    std::vector<std::uint32_t> ranks;         // those that this process played: indices into Trace::ranks
    std::vector<ProcessClock> clocks;         // of these
    std::vector<RankWaits> waits;             // of these
    std::vector<RankLinks> links;             // of these: messages, waits, collectives
    std::vector<CompensatedRank> compensated; // of these; none: there was no time
    std::uint64_t run = 0;                    // identity of the clocks of all ranks (run_identity)
    ClockQuality quality;                     // of all ranks
    std::vector<Error> unreadable;            // of the ranks of this process
};

// Is told what is done now, and what part of it.
using TellProgress = std::function<void(const char* what)>;

// `trace` has the ranks that this process plays, on one clock.
Finished finish(const Trace& trace, ReplayWire& wire, const FinishOptions& options, const TellProgress& tell);

} // namespace tactus
