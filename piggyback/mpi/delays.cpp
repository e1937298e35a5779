#include "piggyback/mpi/delays.hpp"

#include "piggyback/delay.hpp"
#include "piggyback/mpi/host.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {

constinit CallCosts call_costs;

namespace {

constexpr double no_transit_yet = 1e18;

constinit std::atomic<double> newest_delay{0}; // of the thread of this process that sent or received last

// A call whose message has already arrived may take up to this much longer than the quickest such call. Only what is
// longer counts as a wait.
constexpr double least_wait_ns = most_uncertain_ns;

} // namespace

thread_local constinit ThreadDelay thread_delay{.ns = 0, .transit_ns = no_transit_yet};

double delay_now(const LaneCounts* counts) {
    if (counts == nullptr) [[unlikely]]
        return thread_delay.ns;
    return thread_delay.ns + call_costs.call * static_cast<double>(counts->begun_calls) +
           call_costs.repeated * static_cast<double>(counts->repeated_calls) +
           call_costs.tick * static_cast<double>(counts->working_ticks());
}

void note_delay(OpenCall& call, double before, double after) {
    if (piggyback_host.notes_delays) call.note_delay(std::llround(before), std::llround(after));
}

void forget_transit_time() { thread_delay.transit_ns = no_transit_yet; }

void begin_delays(Ticks starting, const LaneCounts* counts) {
    thread_delay.ns += ns_passed(0, starting) - delay_now(counts);
}

void begin_delays_of_thread() { thread_delay.ns = newest_delay.load(std::memory_order_relaxed); }

MessageHeader header_of_sender(const OpenCall& call, std::uint64_t send_id) {
    const OnlineClock* const clock = piggyback_host.clock_now();
    const Ticks begun = call.recorded() ? call.since() : now();
    const double delay = delay_now(call.counts());
    newest_delay.store(delay, std::memory_order_relaxed);
    return {.delay = delay,
            .send_time = clock != nullptr ? clock->at(begun) : std::numeric_limits<double>::quiet_NaN(),
            .send_id = send_id};
}

void Arrivals::add(const MessageHeader& header, std::uint32_t comm, std::int32_t source) {
    const OnlineClock* const clock = piggyback_host.clock_now();
    const bool known = clock != nullptr && std::isfinite(header.send_time);
    const bool exact = known && (comm == comm_world_number && source >= 0
                                     ? clock->agrees_with(static_cast<std::size_t>(source), header.send_time)
                                     : clock->agrees(header.send_time));
    exact_ = exact_ && exact;
    if (messages_ == 0 || (known && header.send_time > sent_)) delay_ = header.delay;
    if (known) {
        sent_ = std::max(sent_, header.send_time);
        undelayed_ = std::max(undelayed_, header.send_time - header.delay);
    }
    ++messages_;
}

void Arrivals::settle(OpenCall& call) {
    if (messages_ == 0) return;
    const OnlineClock* const clock = piggyback_host.clock_now();
    if (clock == nullptr || !call.recorded()) return; // It is not known when the call began to wait.
    const double enter = clock->at(call.since());
    const double leave = clock->at(call.until());
    const double before = delay_now(call.counts());
    double after = before;
    if (exact_) {
        // The quickest message so far gives the time that a message takes without a wait.
        thread_delay.transit_ns = std::min(thread_delay.transit_ns, std::max(0.0, leave - sent_));
        after =
            delay_after_messages(before, enter, sent_ + thread_delay.transit_ns, undelayed_ + thread_delay.transit_ns);
    } else if (const double waited = leave - enter - messages_ * call_costs.receiving; waited > least_wait_ns) {
        after = delay_after_wait(before, delay_, waited);
    }
    late_by(after - before);
    newest_delay.store(after, std::memory_order_relaxed);
    call.counts()->count(exact_ ? DelayBasis::clocks : after != before ? DelayBasis::wait : DelayBasis::nothing);
    note_delay(call, before, after);
}

} // namespace tactus
