// Follows the delays of one rank's threads while the rank is played, and finds the thread that an event belongs to.
// Used by one thread.
#pragma once

#include "postproc/compensate/lane_delays.hpp"
#include "postproc/replay/rank_events.hpp"

#include <deque>
#include <vector>

namespace tactus {

class RankDelays {
  public:
    // `rank`: index into Trace::ranks. `file`, `clock` and `take` must outlive this object.
    RankDelays(std::size_t rank, const RankFile& file, const ProcessClock& clock, const RankEvents& events,
               const TakeDelayed& take);

    // Returns the thread that is in the event's call, or nullptr when no record fits. Must be called in the order of
    // the rank's events, since it ends the calls before that one.
    LaneDelays* at(const Event& event);
    // Must be called after the last event: goes through the remaining records.
    void finish();

    [[nodiscard]] std::uint64_t collectives() const;
    [[nodiscard]] std::uint64_t notes() const;

  private:
    // A message of this rank to itself; `from` and `to` are the indices of the threads in lanes_.
    struct OwnMessage {
        std::size_t from = 0;
        std::size_t to = 0;
        Ticks sent = 0;
        Ticks received = 0;
        GivenTimes given;
    };
    void add_own(const ProcessClock& clock, const std::vector<RankEvents>& own);
    void go_on(std::size_t lane);
    void begin_own(std::size_t lane);
    void take_own(std::size_t lane);

    RecordCosts costs_;
    std::deque<LaneDelays> lanes_;
    std::vector<OwnMessage> own_;                     // in the order of for_each_matched()
    std::vector<std::vector<std::size_t>> own_sent_;  // of each thread: indices into own_, by tick
    std::vector<std::vector<std::size_t>> own_taken_; // the same
    std::vector<std::size_t> next_sent_;              // of each thread: position in its own_sent_
    std::vector<std::size_t> next_taken_;
    GlobalTime own_latency_ = 0; // of the quickest of these messages
};

} // namespace tactus
