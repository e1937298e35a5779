#include "collector/call_requests.hpp"

#include "base/thread_state_kept.hpp"
#include "collector/comms.hpp"
#include "collector/thread.hpp"
#include "mpi_kind.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tactus {
namespace {

inline void add_request(Call& call, MPI_Request request, RequestKind kind, MessageBuffer* message_buffer,
                        PendingComm* duplicate = nullptr, const Preparation* preparation = nullptr) {
    Record& record = call.record();
    if (record.request == 0) record.request = call.lane().next_request();
    record.what.flags |= flag::starts;
    requests.add(key_of(request), {.number = record.request,
                                   .kind = kind,
                                   .skipped = call.skipped(),
                                   .comm = record.what.comm,
                                   .peer = record.what.peer,
                                   .message_buffer = message_buffer,
                                   .duplicate = duplicate,
                                   .preparation = preparation});
}

} // namespace

// A receive from MPI_PROC_NULL is complete at once and shares its handle with complete sends, so it must look like one
// of them.
void start_request(Call& call, MPI_Request request, RequestKind kind, MessageBuffer* message_buffer) {
    if (!call.recorded()) [[unlikely]] {
        if (message_buffer != nullptr)
            requests.add(key_of(request), {.number = request_number(call.lane_number(), 0),
                                           .kind = kind,
                                           .skipped = true,
                                           .message_buffer = message_buffer});
        return;
    }
    const Signature& what = call.record().what;
    if (what.peer == peer::proc_null) [[unlikely]] {
        const bool both_ways = functions[static_cast<std::size_t>(what.function)].shape == Shape::sendrecv;
        if (!both_ways) kind = RequestKind::plain;
    }
    add_request(call, request, kind, message_buffer);
}

void prepare_request(Call& call, MPI_Request request, RequestKind kind, MessageBuffer* message_buffer) {
    if (!call.recorded() && message_buffer == nullptr) return;
    const Signature what = call.recorded() ? call.record().what : Signature{};
    auto* const preparation = new (std::nothrow) Preparation{0, kind, what};
    if (preparation == nullptr) return;
    if (what.peer == peer::proc_null) preparation->kind = RequestKind::plain;
    if (!call.recorded()) {
        requests.add(key_of(request), {.number = request_number(call.lane_number(), 0),
                                       .kind = kind,
                                       .message_buffer = message_buffer,
                                       .preparation = preparation});
        return;
    }
    add_request(call, request, preparation->kind, message_buffer, nullptr, preparation);
    preparation->number = call.record().request;
}

void start_comm(Call& call, MPI_Comm parent, NewComm newcomm, MPI_Request request) {
    if (!comms.started()) return;
    auto* const pending =
        new (std::nothrow) PendingComm{comms.number(parent), newcomm, comms.reserve_duplicate(parent)};
    if (pending != nullptr) add_request(call, request, RequestKind::comm, nullptr, pending);
}

namespace {

// For a persistent request that starts. `message_buffer` is nullptr when the request's messages have no headers.
void begin_again(Call& call, MessageBuffer* message_buffer, std::uint64_t send_id) {
    const DefaultFloats floats;
    late_by(call_costs.begin_send);
    send_off_again(message_buffer, header_of_sender(call, send_id));
}

// Messages have headers even when the start of their requests is not recorded.
void start_unrecorded(Call& call, RequestArray list, int count) {
    if (!piggyback_policy.on || !call.is_applications()) return;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t number = request_number(call.lane_number(), 0);
        begin_again(call, requests.begin(key_of(list[i]), number, true).message_buffer, 0);
    }
}

} // namespace

// This happens before the MPI is called, because another thread may complete a request before the call returns.
void start_prepared(Call& call, RequestArray list, int count) {
    if (count <= 0 || list.array == nullptr) return;
    if (!call.recorded()) return start_unrecorded(call, list, count);
    std::int64_t* const words = call.room_for_words(static_cast<std::size_t>(count) * Started::words);
    if (words == nullptr) return start_unrecorded(call, list, count);
    const HalfDone half_done;
    std::size_t used = 0;
    for (int i = 0; i < count; ++i) {
        const PendingRequest begun = requests.begin(key_of(list[i]), call.lane().next_request(), call.skipped());
        if (begun.kind == RequestKind::none) continue;
        if (begun.message_buffer != nullptr) begin_again(call, begun.message_buffer, call.skipped() ? 0 : begun.number);
        const Signature& what = begun.preparation->what;
        Started{.request = begun.number,
                .prepared = begun.preparation->number,
                .bytes = what.bytes,
                .peer = what.peer,
                .tag = what.tag,
                .comm = what.comm,
                .type = what.type,
                .function = what.function,
                .flags = what.flags}
            .put(words + used);
        used += Started::words;
    }
    call.set_words({words, used});
}

void undo_starts(Call& call, RequestArray list, int count) {
    if (call.words().empty()) return;
    const std::uint64_t first = Started::from(call.words().data()).request;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t key = key_of(list[i]);
        const PendingRequest known = requests.look(key, call.lane_number());
        if (known.preparation != nullptr && known.active && known.number >= first &&
            lane_of_request(known.number) == lane_of_request(first))
            requests.finish(key, call.lane_number());
    }
    call.set_words({});
}

void note_completed(Call& call, const Completion& done) {
    Record& record = call.record();
    record.request = done.request;
    record.what.flags |= flag::completes;
    if (!done.received) return;
    record.what.peer = done.source;
    record.what.tag = done.tag;
    record.what.bytes = done.bytes;
}

// The operation may still be under way. It is recorded as complete because nobody will see it complete later.
void note_freed(Call& call, MPI_Request before, const FreedRequest& freed) {
    if (!call.is_applications()) return;
    const PendingRequest request = requests.take(key_of(before), call.lane_number(), freed.since());
    delete request.duplicate;
    delete request.preparation;
    if (!freed.is_kept()) free_message_buffers(request.message_buffer);
    if (!call.recorded()) return;
    if (request.kind == RequestKind::receive && request.active && (request.skipped || call.skipped()))
        call.lane().skipped().add(request.comm, request.peer, Direction::received);
    if (request.kind == RequestKind::none || !request.active) return;
    call.record().request = request.number;
    call.record().what.flags |= flag::completes;
}

// The partitions follow the request's number in the words.
void note_request(Call& call, MPI_Request request, std::span<const std::int64_t> partitions) {
    const PendingRequest known = requests.look(key_of(request), call.lane_number());
    if (known.kind == RequestKind::none) return;
    const std::size_t count = 1 + partitions.size();
    std::int64_t* const words = call.room_for_words(count);
    if (words == nullptr) return;
    words[0] = static_cast<std::int64_t>(known.number);
    std::copy(partitions.begin(), partitions.end(), words + 1);
    call.set_words({words, count});
}

std::vector<std::int64_t> partition_ranges(const int* partitions, int count) {
    std::vector<std::int64_t> ranges;
    for (int i = 0; i < count; ++i) ranges.insert(ranges.end(), 2, partitions[i]);
    return ranges;
}

// A message with a header gets a message buffer, which remembers the communicator.
void note_matched(Call& call, const StatusSlot& status, MPI_Message message, bool carried, MPI_Comm comm) {
    MessageBuffer* const message_buffer = carried ? make_message_buffer(0) : nullptr;
    if (message_buffer != nullptr) message_buffer->comm = comm;
    if (!call.recorded()) {
        if (carried)
            matched_messages.add(key_of(message),
                                 {.kind = RequestKind::receive, .skipped = true, .message_buffer = message_buffer});
        return;
    }
    note_probed(call, status);
    if (message == handle.MESSAGE_NO_PROC) return;
    Record& record = call.record();
    record.request = call.lane().next_request();
    record.what.flags |= flag::starts;
    matched_messages.add(key_of(message), {.number = record.request,
                                           .kind = RequestKind::receive,
                                           .skipped = call.skipped(),
                                           .comm = record.what.comm,
                                           .message_buffer = message_buffer});
}

const MessageBuffer* matched_message(const Call& call, MPI_Message message) {
    if (!piggyback_policy.on || !call.is_applications()) return nullptr;
    return matched_messages.look(key_of(message), 0).message_buffer;
}

namespace {

// Removes the message from the table and notes it in the record. Returns false when the call or the match is not
// recorded, when the match was not seen, and for MPI_MESSAGE_NO_PROC.
bool take_matched_message(Call& call, MPI_Message message) {
    if (!call.is_applications()) return false;
    const PendingRequest known = matched_messages.take(key_of(message), call.lane_number(), call.since());
    free_message_buffers(known.message_buffer);
    if (!call.recorded()) return false;
    call.record().what.comm = known.comm;
    call.record().request = known.number;
    return known.kind != RequestKind::none && !known.skipped;
}

} // namespace

void note_matched_receive(Call& call, int rc, const StatusSlot& status, MPI_Datatype type, MPI_Message message) {
    if (take_matched_message(call, message) && rc == MPI_SUCCESS) call.record().what.flags |= flag::completes;
    if (call.good(rc)) note_received(call, status, type);
}

// The words hold the number of the message, and the record holds that of the new request.
void start_matched_receive(Call& call, MPI_Request request, MPI_Datatype type, MPI_Message message,
                           MessageBuffer* message_buffer) {
    const bool known = take_matched_message(call, message);
    if (call.recorded()) {
        const std::uint64_t number = std::exchange(call.record().request, 0);
        std::int64_t* const words = call.room_for_words(1);
        words[0] = static_cast<std::int64_t>(number);
        if (known) call.set_words({words, 1});
        note_posted(call, type);
    }
    const RequestKind kind = message == handle.MESSAGE_NO_PROC ? RequestKind::plain : RequestKind::receive;
    start_request(call, request, kind, message_buffer);
}

} // namespace tactus
