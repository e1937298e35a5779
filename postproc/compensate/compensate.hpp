// The run as it would have been without the tracer, from a trace alone: how late each thread was at the begin and the
// end of every call. What calls cost is in the trace (CallCosts); messages and collectives take the delay of who gave
// them to who waited for them, by the rule of piggyback/delay.hpp, as a visitor of the replay. The trace's clocks are
// set.
//
// A message is taken to be under way as long as the quickest one of the same two ranks. Receives keep their order, also
// those from MPI_ANY_SOURCE; a call of MPI_Test or MPI_Iprobe more or less does not matter.
//
// A lane begins with no delay, also of a thread that a late one made. Threads of a process are seen to wait for each
// other only where one sends the other a message.
//
// Memory: a block of each thread; the 32 bytes of each event lie beside the trace where they are many.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tactus {

// Where delays come from: computed here, or what the threads noted of themselves while the program ran.
enum class DelaySource : std::uint8_t { computed, noted };

// One record, of any kind. Delays in nanoseconds.
struct Delayed {
    std::size_t rank = 0; // index into Trace::ranks
    std::uint32_t lane = 0;
    const Record& record;
    Words words;
    double at_enter = 0;
    double at_leave = 0;
};

// Of a rank, or of all.
struct DelayCounts {
    std::uint64_t messages = 0;    // received, that brought a delay
    std::uint64_t collectives = 0; // calls in which a delay was taken over
    std::uint64_t notes = 0;       // of the threads themselves, in the trace
    DelayCounts& operator+=(const DelayCounts& more);
};

struct Compensation {
    std::vector<DelayCounts> ranks; // by index into Trace::ranks
    DelayCounts all;
    // Calls whose other side never came, or whose collective is not known, and events that waited for each other in a
    // circle; no messages without a counterpart.
    std::uint64_t unknown = 0;
    CountsByReason unmatched{}; // messages without a counterpart; nothing when delays are noted ones
};

// Is given the records of a lane in the order they were stored, but not lane by lane.
using TakeDelayed = std::function<void(const Delayed&)>;

// Computes the delays of all ranks, in that many threads of this process. `take` is called by all of them, for the
// records of a rank always by the same.
Compensation compensate(const Trace& trace, DelaySource source, const TakeDelayed& take, std::uint32_t threads = 1);

// As many threads as this machine has cores for, and the trace has ranks.
std::uint32_t threads_for(const Trace& trace);

// The ranks that this process plays, read and matched by the replay. The i-th of each list is of the same rank.
struct PlayedRanks {
    const std::vector<std::uint32_t>& indices; // into Trace::ranks
    const std::vector<ProcessClock>& clocks;
    std::vector<RankEvents>& events; // are stamped by these clocks
    const MatchedEvents& matched;
};

struct PlayedDelays {
    std::vector<DelayCounts> ranks; // in the order of PlayedRanks
    std::uint64_t released = 0;     // events of all ranks that waited for each other in a circle
};

// Collective over the wire: computes the delays of the ranks that this process plays. When the wire breaks or is out of
// time, the result means nothing. Called by one thread of each process.
PlayedDelays compensate_played(const Trace& trace, const PlayedRanks& played, ReplayWire& wire,
                               const TakeDelayed& take);

} // namespace tactus
