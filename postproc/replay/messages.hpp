// Which receive took which message: lists every point-to-point message of a trace with both its sides, as the replay
// matches them (match_events.hpp). Offline, one thread.
//
// The k-th sent message of a channel (sender, receiver, communicator, tag) goes to its k-th posted receive
// (MPI-4.0, 3.5), whichever completes first.
//
//   rank 0  Send a   Send b
//   rank 1  Irecv 1  Irecv 2  Waitany: 2  Waitany: 1         a goes to 1 and b to 2
//
// No message is guessed: messages that do not match are counted by the reason. Messages of a rank to itself are
// included. Partitioned messages (MPI_Psend_init, MPI_Precv_init) are neither handed out nor counted.
//
// Where the trace's folder has no room for the events, they take 52 bytes of memory for each send and each receive.
#pragma once

#include "postproc/replay/event.hpp"
#include "postproc/replay/message.hpp"
#include "postproc/replay/rank_events.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tactus {

struct MessageCounts {
    std::uint64_t matched = 0;
    CountsByReason unmatched{}; // a channel that does not match counts the larger of its sends and receives

    std::uint64_t channels = 0;          // inside MPI_COMM_WORLD
    std::uint64_t channels_left_out = 0; // channels without any matched message
    std::vector<Error> unreadable;       // what could not be read; the rest is handed out all the same

    [[nodiscard]] std::uint64_t unmatched_in_all() const;
};

// Hands out the messages channel by channel (by sender, receiver, communicator, tag), in the order they were sent.
using TakeMessage = std::function<void(const Message&)>;
MessageCounts for_each_message(const Trace& trace, const TakeMessage& take);

// The same for events in memory. `ranks` are in ascending order, have origins (they are RankEvents::own, or were read
// with ReadingLimits::only_messages), and were matched in one process. RankEvents::own has ends of windows' epochs and
// partitioned messages, too: their `series` is not 0.
void for_each_matched(const std::vector<RankEvents>& ranks, const TakeMessage& take);

} // namespace tactus
