// Adds up the messages, waits and collectives of a run for pictures (postproc/lod/links.hpp) while the run is replayed.
// A message is kept by the rank that received it, a wait by the rank that found it, and a collective by the lowest rank
// of its communicator.
//
// Messages are those of the replay, and those that a rank sends to itself. Partitioned messages, and messages without a
// counterpart, are not included. A message that was probed for counts as arrived when the probe had found it.
// Collectives are included if all members were seen in them; some of them are fences of windows.
#pragma once

#include "postproc/lod/links.hpp"
#include "postproc/replay/match_events.hpp"
#include "postproc/replay/messages.hpp"
#include "postproc/waits/call_facts.hpp"

#include <vector>

namespace tactus {

class RunLinks {
  public:
    // The number of records of each rank limits how many sums are kept of each kind.
    explicit RunLinks(const std::vector<std::uint64_t>& records);

    // `rank` is the index of the rank.
    void add(std::size_t rank, LinkKind kind, const Link& link) {
        sums_[rank][static_cast<std::size_t>(kind)].add(link);
    }
    // The sums of a rank, which are then no longer kept here.
    RankLinks take(std::size_t rank);

  private:
    std::vector<std::vector<LinkSums>> sums_; // by rank, then by kind
};

// Takes the messages that one rank (`index`) sent to itself, which the replay leaves out. `time_of(lane, tick)`
// converts a tick by the clock of that lane's thread.
template <class TimeOf>
void take_own_messages(const RankEvents& rank, std::size_t index, const TimeOf& time_of, const TakeLink& take) {
    for_each_matched(rank.own, [&](const Message& message) {
        if (message.series != 0) return;
        take(index, LinkKind::message,
             {.from = within_reach(time_of(message.sent.lane, message.sent.tick)),
              .to = within_reach(time_of(message.received.lane, message.received.tick)),
              .source = thread_of(rank.rank, message.sent.lane),
              .target = thread_of(rank.rank, message.received.lane),
              .amount = message.bytes,
              .about = message.comm,
              .what = static_cast<std::uint32_t>(message.tag)});
    });
}

// Collective over the wire. The events must have their final stamps.
void find_collectives(const std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                      const std::vector<RankCalls>& calls, const TakeLink& take);

} // namespace tactus
