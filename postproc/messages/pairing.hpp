// Which receive took which message: every point-to-point message of a trace as a pair, offline, one thread.
//
// Messages of one sender, receiver, communicator and tag (a channel) cannot overtake each other (MPI-4.0, 3.5): the
// k-th sent one goes to the k-th posted receive that finally matched in the channel, whichever completes first.
//
//   rank 0  Send a   Send b
//   rank 1  Irecv 1  Irecv 2  Waitany: 2  Waitany: 1         a goes to 1 and b to 2
//
// Where the receives name their messages (Kind::message_ids), these are their pairs, whatever the order.
//
// No pair is ever guessed. Where the trace does not say enough, a channel is left out and its messages are counted by
// the reason. Receives whose record is missing cannot do harm, since a receive less than sends is noticed; a sender's
// can, when as many receives are missing too. Partitioned messages (MPI_Psend_init, MPI_Precv_init) are neither paired
// nor counted.
//
// Memory: 16 bytes a send and 24 a receive of the trace, besides what one rank takes while it is read; n log n.
#pragma once

#include "trace/rank_file.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace tactus {

struct MessageEnd {
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    Ticks tick = 0; // sent: enter of the call that sent it; received: leave of the call that completed it
};

// Start and completion in ticks of the ranks' own clocks. One that a rank sent to itself is a message as well.
struct Message {
    MessageEnd sent;
    MessageEnd received;
    std::uint64_t bytes = 0; // received
    std::uint64_t comm = 0;  // identity of its communicator
    std::int32_t tag = 0;
};

// Why messages have no pair.
enum class Unpaired : std::uint8_t {
    outside,      // the other side is no rank of MPI_COMM_WORLD, or the communicator is not defined
    incomplete,   // records of a rank are missing: blocks lost, its file cut or not there
    not_recorded, // VT_traceoff or a filter kept calls of the channel out
    unequal,      // sends and receives are not as many: never received, cancelled, failed, freed before completion
    concurrent,   // several threads sent, or posted, at the same time: the order is not known
};
constexpr std::size_t unpaired_count = 5;
inline constexpr std::array<const char*, unpaired_count> unpaired_meanings = {
    "to or from processes outside MPI_COMM_WORLD", "of ranks whose records are not complete",
    "on channels that VT_traceoff or a filter kept out in part", "sent or received without a counterpart",
    "of threads that sent or received at the same time"};

struct Pairing {
    std::uint64_t pairs = 0;
    std::array<std::uint64_t, unpaired_count> unpaired{}; // messages; of a channel the larger of sends and receives
    std::uint64_t channels = 0;                           // inside MPI_COMM_WORLD
    std::uint64_t channels_left_out = 0;                  // of these, whole
    std::set<std::uint32_t> complete;                     // ranks of which no record is missing
    std::set<std::uint64_t> collectives_missing;          // identities of communicators: some were not recorded
    std::vector<Error> unreadable;

    [[nodiscard]] std::uint64_t unpaired_in_all() const;
    std::uint64_t& because(Unpaired reason) { return unpaired[static_cast<std::size_t>(reason)]; }
};

// Hands out the pairs channel by channel (by sender, receiver, communicator, tag), in the order they were sent.
using TakeMessage = std::function<void(const Message&)>;
Pairing for_each_message(const Trace& trace, const TakeMessage& take);

} // namespace tactus
