// Which receive took which message: every point-to-point message of a trace with both its sides, as the replay matches
// them (match_events.hpp). Offline, one thread.
//
// The k-th sent message of a channel (sender, receiver, communicator, tag) goes to its k-th posted receive
// (MPI-4.0, 3.5), whichever completes first.
//
//   rank 0  Send a   Send b
//   rank 1  Irecv 1  Irecv 2  Waitany: 2  Waitany: 1         a goes to 1 and b to 2
//
// No message is ever guessed: what does not match is counted by the reason. A message that a rank sent to itself is
// one as well. Partitioned messages (MPI_Psend_init, MPI_Precv_init) are neither handed out nor counted.
//
// Memory: 52 bytes for each message sent and each received, where the trace's folder has no room for them.
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
    CountsByReason unmatched{}; // of a channel that does not match the larger of sends and receives

    std::uint64_t channels = 0;          // inside MPI_COMM_WORLD
    std::uint64_t channels_left_out = 0; // of these, whole
    std::vector<Error> unreadable;

    [[nodiscard]] std::uint64_t unmatched_in_all() const;
};

// Hands out the messages channel by channel (by sender, receiver, communicator, tag), in the order they were sent.
using TakeMessage = std::function<void(const Message&)>;
MessageCounts for_each_message(const Trace& trace, const TakeMessage& take);

// The same of `ranks`, by rank, that were read with ReadingLimits::only_messages and matched in one process.
void for_each_matched(const std::vector<RankEvents>& ranks, const TakeMessage& take);

} // namespace tactus
