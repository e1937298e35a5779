// The delay of each thread while the program runs; piggyback/delay.hpp defines it. The cost of a call was measured when
// the process started. Costs that vary, such as sealing, are measured as they occur, and messages bring their senders'
// delays. Nothing happens here before piggyback_policy.on is set. Each function is about the thread that calls it.
#pragma once

#include "piggyback/header.hpp"
#include "trace/definitions.hpp"
#include "trace/open_call.hpp"

#include <limits>

namespace tactus {

extern constinit CallCosts call_costs; // written in MPI_Init, then only read

// Called at the end of MPI_Init. The delay begins with `starting`, the ticks that tactus added to MPI_Init.
void begin_delays(Ticks starting, const LaneCounts* counts);
// Nanoseconds between two ticks; 0 when the clock was set back in between.
inline double ns_passed(Ticks begin, Ticks end) {
    return end > begin ? call_costs.tick * static_cast<double>(end - begin) : 0;
}
// Called at a thread's first call. The thread begins with the delay of the last thread that sent or received.
void begin_delays_of_thread();

// This thread's delay without the costs of calls and sealing, which delay_now() adds.
struct ThreadDelay {
    double ns = 0;
    double transit_ns; // shortest time that a message took to this thread
};
extern thread_local constinit ThreadDelay thread_delay;

// The delay in nanoseconds at this point of the current call. `counts` belongs to the thread's lane; it is nullptr when
// the thread has none. hot
double delay_now(const LaneCounts* counts);
inline void late_by(double ns) { thread_delay.ns += ns; }
// Records how the call's messages changed the delay, unless VT_DELAYS=off.
void note_delay(OpenCall& call, double before, double after);
// Called after the calibration, whose messages do not count.
void forget_transit_time();

// The header for a message that the call sends now. hot
MessageHeader header_of_sender(const OpenCall& call, std::uint64_t send_id);

// Collects the headers that one call received, and computes from them the delay after the call.
class Arrivals {
  public:
    void add(const MessageHeader& header, std::uint32_t comm, std::int32_t source);
    // Called after the call's leave tick was taken and before the call is stored.
    void settle(OpenCall& call);

  private:
    static constexpr double never = -std::numeric_limits<double>::infinity();
    int messages_ = 0;
    bool exact_ = true;        // the clocks of all senders agree with this rank's
    double sent_ = never;      // when the last message was sent
    double undelayed_ = never; // when the last message would have been sent without the tracer
    double delay_ = 0;         // delay of the last message's sender
};

} // namespace tactus
