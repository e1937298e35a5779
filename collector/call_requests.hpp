// What a call does to requests and matched messages, as functions over its record and the tables of requests.hpp.
#pragma once

#include "collector/arguments.hpp"
#include "collector/call_facts.hpp"
#include "collector/freed_requests.hpp"
#include "collector/requests.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

// Begins a request, or prepares one to be started. Those with a message buffer are known also where the call is not
// recorded.
void start_request(Call& call, MPI_Request request, RequestKind kind = RequestKind::plain,
                   MessageBuffer* message_buffer = nullptr);
void prepare_request(Call& call, MPI_Request request, RequestKind kind, MessageBuffer* message_buffer = nullptr);
void start_comm(Call& call, MPI_Comm parent, NewComm newcomm, MPI_Request request);

// Before the MPI is called: starts what was prepared. After it failed: takes that back.
void start_prepared(Call& call, RequestArray list, int count);
void undo_starts(Call& call, RequestArray list, int count);

// The call completed one request; it freed one.
void note_completed(Call& call, const Completion& done);
void note_freed(Call& call, MPI_Request before, const FreedRequest& freed);

// The call is about a request, and perhaps some of its partitions: from, to, from, to ...
using PartitionRange = std::array<std::int64_t, 2>;
std::vector<std::int64_t> partition_ranges(const int* partitions, int count);
void note_request(Call& call, MPI_Request request, std::span<const std::int64_t> partitions);

// Matched probes: the message stands for a receive that is already posted. Also of calls that are not recorded.
void note_matched(Call& call, const StatusSlot& status, MPI_Message message, bool carried, MPI_Comm comm);
// What was made for a message when it was probed for; nullptr: nothing is carried.
const MessageBuffer* matched_message(const Call& call, MPI_Message message);
void note_matched_receive(Call& call, int rc, const StatusSlot& status, MPI_Datatype type, MPI_Message message);
void start_matched_receive(Call& call, MPI_Request request, MPI_Datatype type, MPI_Message message,
                           MessageBuffer* message_buffer);

} // namespace tactus
