// Functions that note what a call does to requests and matched messages, in the call's record and in the tables of
// requests.hpp. Each is called in the thread that makes the call.
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

// Note that the call started a request, or prepared a persistent one. A request with a message buffer enters the table
// even when the call is not recorded. start_comm() is for MPI_Comm_idup.
void start_request(Call& call, MPI_Request request, RequestKind kind = RequestKind::plain,
                   MessageBuffer* message_buffer = nullptr);
void prepare_request(Call& call, MPI_Request request, RequestKind kind, MessageBuffer* message_buffer = nullptr);
void start_comm(Call& call, MPI_Comm parent, NewComm newcomm, MPI_Request request);

// start_prepared() notes the start of persistent requests, before the MPI is called. undo_starts() takes that back when
// the MPI's call failed.
void start_prepared(Call& call, RequestArray list, int count);
void undo_starts(Call& call, RequestArray list, int count);

// Note that the call completed a request, or freed the one whose handle was `before`.
void note_completed(Call& call, const Completion& done);
void note_freed(Call& call, MPI_Request before, const FreedRequest& freed);

// Notes the request that the call is about, and perhaps some of its partitions, as ranges: first, last, first, last ...
using PartitionRange = std::array<std::int64_t, 2>;
std::vector<std::int64_t> partition_ranges(const int* partitions, int count);
void note_request(Call& call, MPI_Request request, std::span<const std::int64_t> partitions);

// Matched probes: a matched message counts as a receive that is already posted. This is also called when the call is
// not recorded. `carried` says that the message has a header.
void note_matched(Call& call, const StatusSlot& status, MPI_Message message, bool carried, MPI_Comm comm);
// The buffer that was made for the message when it was probed for; nullptr when the message has no header.
const MessageBuffer* matched_message(const Call& call, MPI_Message message);
void note_matched_receive(Call& call, int rc, const StatusSlot& status, MPI_Datatype type, MPI_Message message);
void start_matched_receive(Call& call, MPI_Request request, MPI_Datatype type, MPI_Message message,
                           MessageBuffer* message_buffer);

} // namespace tactus
