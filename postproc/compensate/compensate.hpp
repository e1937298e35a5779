// Computes from a trace alone how the run would have been without the tracer: how late each thread was at the begin and
// the end of every call. The trace says what calls cost (CallCosts). Messages and collectives carry the delay of the
// giver to whoever waited for them, by the rule of piggyback/delay.hpp. A visitor of the replay does this. The clocks
// of the trace must be set.
//
// Every message is assumed to take as long as the quickest one between the same two ranks. Receives keep their order,
// including those from MPI_ANY_SOURCE. One call of MPI_Test or MPI_Iprobe more or less does not matter.
//
// Every lane begins with no delay, even if the thread was created by one that was late. A thread is seen to wait for
// another thread of its process only where it receives a message from it.
//
// Memory: one block per thread, and 32 bytes per event, which lie in a file beside the trace when they are many.
#pragma once

#include "base/result.hpp"
#include "postproc/replay/match_events.hpp"
#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tactus {

// Where delays come from: they are computed here, or the threads noted them while the program ran.
enum class DelaySource : std::uint8_t { computed, noted };

// One record, of any kind, with the thread's delays in nanoseconds.
struct Delayed {
    std::size_t rank = 0; // index into Trace::ranks
    std::uint32_t lane = 0;
    const Record& record;
    Words words;
    double at_enter = 0;
    double at_leave = 0;
};

// Counts of one rank, or the sums over all ranks.
struct DelayCounts {
    std::uint64_t messages = 0;    // received messages that brought a delay
    std::uint64_t collectives = 0; // calls in which a delay was taken over
    std::uint64_t notes = 0;       // delays that the threads themselves noted in the trace
    DelayCounts& operator+=(const DelayCounts& more);
};

struct Compensation {
    std::vector<DelayCounts> ranks; // by index into Trace::ranks
    DelayCounts all;
    // Collectives, window epochs and partitioned messages without a counterpart, and events that waited for each other
    // in a circle. Messages without a counterpart are counted in `unmatched` instead.
    std::uint64_t unknown = 0;
    CountsByReason unmatched{}; // messages without a counterpart; all 0 when the delays are noted ones
};

// Is called with each record: the records of a lane come in the order they were stored, but lanes are interleaved.
using TakeDelayed = std::function<void(const Delayed&)>;

// Computes the delays of all ranks in `threads` threads of this process. Each of these threads calls `take`, but the
// records of one rank always come from the same thread. If there is no room for the events, `take` is not called.
Result<Compensation> compensate(const Trace& trace, DelaySource source, const TakeDelayed& take,
                                std::uint32_t threads = 1);

// Returns the number of cores of this machine or of ranks in the trace, whichever is smaller, and at least 1.
std::uint32_t threads_for(const Trace& trace);

// The ranks that this process plays, read and matched by the replay. The i-th entries of the lists are of one rank.
struct PlayedRanks {
    const std::vector<std::uint32_t>& indices; // into Trace::ranks
    const std::vector<ProcessClock>& clocks;
    std::vector<RankEvents>& events; // compensate_played() stamps them by these clocks
    const MatchedEvents& matched;
};

struct PlayedDelays {
    std::vector<DelayCounts> ranks; // in the order of PlayedRanks
    std::uint64_t released = 0;     // events of all ranks that waited for each other in a circle
};

// Collective over the wire: computes the delays of the ranks that this process plays. If the wire breaks or time runs
// out, the result means nothing. One thread of each process calls it.
PlayedDelays compensate_played(const Trace& trace, const PlayedRanks& played, ReplayWire& wire,
                               const TakeDelayed& take);

} // namespace tactus
