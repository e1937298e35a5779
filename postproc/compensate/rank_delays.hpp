// The delays of one rank's threads while the rank is played: finds which thread an event is of. One thread.
#pragma once

#include "postproc/compensate/lane_delays.hpp"
#include "postproc/replay/rank_events.hpp"

#include <deque>
#include <vector>

namespace tactus {

class RankDelays {
  public:
    // `rank`: index into Trace::ranks. All outlive this.
    RankDelays(std::size_t rank, const RankFile& file, const ProcessClock& clock, const RankEvents& events,
               const TakeDelayed& take);

    // In the order of the rank's events: the thread that stands in the call which the event is of; nullptr when no
    // record says so.
    LaneDelays* at(const Event& event);
    // Behind the last event: the rest of its records.
    void finish();

    [[nodiscard]] std::uint64_t collectives() const;
    [[nodiscard]] std::uint64_t notes() const;

  private:
    // A message of this rank to itself, by the threads (their indices) at both ends.
    struct OwnMessage {
        std::size_t from = 0;
        std::size_t to = 0;
        Ticks sent = 0;
        Ticks received = 0;
        GivenTimes given;
    };
    void add_own(const ProcessClock& clock, const std::vector<Message>& messages);
    void go_on(std::size_t lane);
    void begin_own(std::size_t lane);
    void take_own(std::size_t lane);

    RecordCosts costs_;
    std::deque<LaneDelays> lanes_;
    std::vector<OwnMessage> own_;                     // by `received`
    std::vector<std::vector<std::size_t>> own_sent_;  // of each thread, by tick
    std::vector<std::vector<std::size_t>> own_taken_; // the same
    std::vector<std::size_t> next_sent_;              // of each thread: in own_sent_
    std::vector<std::size_t> next_taken_;
    GlobalTime own_latency_ = 0;
};

} // namespace tactus
