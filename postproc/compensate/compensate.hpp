// The run as it would have been without the tracer, from a trace alone: how late each thread was at the begin and the
// end of every call. What calls cost is in the trace (CallCosts); messages and collectives take the delay of who sent
// them to who waited for them, by the rules of delay/. Offline, one thread; the trace's clocks are set.
//
// A message is taken to be under way as long as the quickest one of the same two ranks. Receives keep their order, also
// those from MPI_ANY_SOURCE; a call of MPI_Test or MPI_Iprobe more or less does not matter.
//
// A lane begins with no delay, also of a thread that a late one made; where threads wait for each other is not seen.
//
// Memory: 24 bytes a send and a receive each, besides what for_each_message takes.
#pragma once

#include "postproc/messages/pairing.hpp"
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

struct Compensation {
    std::uint64_t messages = 0;    // that brought a delay
    std::uint64_t collectives = 0; // calls in which one was taken over
    std::uint64_t unknown =
        0; // calls whose other side never came, or whose collective is not known; no messages without a pair
    std::uint64_t notes = 0; // of the threads themselves, in the trace
    Pairing pairing;         // of its messages; nothing when they are noted ones
};

// Hands out the records of a lane in the order they were stored, but not lane by lane.
using TakeDelayed = std::function<void(const Delayed&)>;
Compensation compensate(const Trace& trace, DelaySource source, const TakeDelayed& take);

} // namespace tactus
