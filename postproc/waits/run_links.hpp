// The messages, waits and collectives of a run, added up for pictures (postproc/lod/links.hpp) while it is replayed. A
// message is kept by the rank that received it, a wait by the one that found it, a collective by the lowest rank of its
// communicator.
//
//   Messages are those of the replay, and those of a rank to itself: partitioned ones and those without a counterpart
//   are not there, and one that was probed for has come when the probe had found it. Of collectives those are there
//   that all members were seen in; the fences of windows are some.
#pragma once

#include "postproc/lod/links.hpp"
#include "postproc/replay/match_events.hpp"
#include "postproc/waits/call_facts.hpp"

#include <vector>

namespace tactus {

class RunLinks {
  public:
    // How many sums there may be of each goes by how many records the ranks have.
    explicit RunLinks(const std::vector<std::uint64_t>& records);

    // `rank`: its index.
    void add(std::size_t rank, LinkKind kind, const Link& link) {
        sums_[rank][static_cast<std::size_t>(kind)].add(link);
    }
    std::vector<RankLinks> take();

  private:
    std::vector<std::vector<LinkSums>> sums_; // by rank, then by kind
};

// Of one rank (`index`) what it sent to itself, which no replay plays. `time_of(lane, tick)`: by that thread's clock.
template <class TimeOf>
void take_own_messages(const RankEvents& rank, std::size_t index, const TimeOf& time_of, const TakeLink& take) {
    for (const Message& message : rank.own)
        take(index, LinkKind::message,
             {.from = within_reach(time_of(message.sent.lane, message.sent.tick)),
              .to = within_reach(time_of(message.received.lane, message.received.tick)),
              .one = thread_of(rank.rank, message.sent.lane),
              .other = thread_of(rank.rank, message.received.lane),
              .amount = message.bytes,
              .about = message.comm,
              .what = static_cast<std::uint32_t>(message.tag)});
}

// Collective over the wire. Events have their final stamps.
void find_collectives(const std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                      const std::vector<RankCalls>& calls, const TakeLink& take);

} // namespace tactus
