// How late each thread is because of the tracer, while the program runs; piggyback/delay.hpp says what that means. What
// a call costs was measured when the process started, sealing and the like are measured as they come, and messages
// bring their senders' delays. Nothing is done before carrying.on. In the thread concerned.
#pragma once

#include "piggyback/header.hpp"
#include "trace/definitions.hpp"
#include "trace/open_call.hpp"

#include <limits>

namespace tactus {

extern constinit CallCosts call_costs; // written in MPI_Init, then only read

// At the end of MPI_Init: nobody is later than by what we did in it.
void begin_delays(Ticks starting, const LaneCounts* counts);
// Between two ticks; a clock may have been set back.
inline double ns_passed(Ticks begin, Ticks end) {
    return end > begin ? call_costs.tick * static_cast<double>(end - begin) : 0;
}
// A thread's first call: as late as the last that sent or received something.
void begin_delays_of_thread();

// Of this thread, in nanoseconds; what calls and sealing cost is added to it by delay_now().
struct ThreadDelay {
    double ns = 0;
    double transit_ns; // how long the quickest message was under way
};
extern thread_local constinit ThreadDelay thread_delay;

// Now, in the call that is being made. `counts`: of the thread's lane; nullptr: it has none. hot
double delay_now(const LaneCounts* counts);
inline void late_by(double ns) { thread_delay.ns += ns; }
// What the call's messages changed of it, where the trace is to say so.
void note_delay(OpenCall& call, double before, double after);
// The messages so far were tries.
void forget_transit_time();

// For a message that the call sends now. hot
MessageHeader header_of_sender(const OpenCall& call, std::uint64_t send_id);

// What the messages that one call received say.
class Arrivals {
  public:
    void add(const MessageHeader& header, std::uint32_t comm, std::int32_t source);
    // After the call's leave stamp, before it is stored.
    void settle(OpenCall& call);

  private:
    static constexpr double never = -std::numeric_limits<double>::infinity();
    int messages_ = 0;
    bool exact_ = true;        // all clocks agree
    double sent_ = never;      // the last one
    double undelayed_ = never; // the last one without the tracer
    double delay_ = 0;         // of the last one's sender
};

} // namespace tactus
