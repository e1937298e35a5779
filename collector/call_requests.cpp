// What a call does to requests and messages.
#include "collector/call.hpp"
#include "collector/session.hpp"
#include "collector/wrapping.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/message_in_call.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tactus {

inline void Call::number_request(MPI_Request request, RequestKind kind, MessageBuffer* message_buffer,
                                 PendingComm* duplicate, const Preparation* preparation) {
    if (record_->request == 0) record_->request = lane_->next_request();
    record_->what.flags |= flag::starts;
    requests.add(key_of(request), {.number = record_->request,
                                   .kind = kind,
                                   .skipped = skipped(),
                                   .comm = record_->what.comm,
                                   .peer = record_->what.peer,
                                   .message_buffer = message_buffer,
                                   .duplicate = duplicate,
                                   .preparation = preparation});
}

// A receive from nobody is finished at once and shares its handle with finished sends: it must look like one of them.
void Call::starts(MPI_Request request, RequestKind kind, MessageBuffer* message_buffer) {
    if (!recorded()) [[unlikely]] {
        if (message_buffer != nullptr)
            requests.add(key_of(request), {.number = request_number(lane_number(), 0),
                                           .kind = kind,
                                           .skipped = true,
                                           .message_buffer = message_buffer});
        return;
    }
    if (record_->what.peer == peer::proc_null) [[unlikely]] {
        const bool both_ways = functions[static_cast<std::size_t>(record_->what.function)].shape == Shape::sendrecv;
        if (!both_ways) kind = RequestKind::plain;
    }
    number_request(request, kind, message_buffer);
}

void Call::prepares(MPI_Request request, RequestKind kind, MessageBuffer* message_buffer) {
    if (!recorded() && message_buffer == nullptr) return;
    auto* const preparation = new (std::nothrow) Preparation{0, kind, recorded() ? record_->what : Signature{}};
    if (preparation == nullptr) return;
    if (preparation->what.peer == peer::proc_null) preparation->kind = RequestKind::plain;
    if (!recorded()) {
        requests.add(key_of(request), {.number = request_number(lane_number(), 0),
                                       .kind = kind,
                                       .message_buffer = message_buffer,
                                       .preparation = preparation});
        return;
    }
    number_request(request, preparation->kind, message_buffer, nullptr, preparation);
    preparation->number = record_->request;
}

void Call::starts_comm(MPI_Comm parent, NewComm newcomm, MPI_Request request) {
    if (!comms.started()) return;
    auto* const pending =
        new (std::nothrow) PendingComm{comms.number(parent), newcomm, comms.reserve_duplicate(parent)};
    if (pending != nullptr) number_request(request, RequestKind::comm, nullptr, pending);
}

// Before the MPI is called: what is started may complete in another thread before we return.
void Call::starts_persistent(RequestArray list, int count, std::int64_t* words) {
    if (count <= 0 || list.array == nullptr) return;
    if (!recorded()) return start_unrecorded(list, count);
    const auto size = static_cast<std::size_t>(count) * Started::words;
    if (words == nullptr) words = static_cast<std::int64_t*>(room(size * sizeof(std::int64_t)));
    if (words == nullptr) return start_unrecorded(list, count);
    const HalfDone half_done;
    std::size_t used = 0;
    for (int i = 0; i < count; ++i) {
        const PendingRequest begun = requests.begin(key_of(list[i]), lane_->next_request(), skipped());
        if (begun.kind == RequestKind::none) continue;
        if (begun.message_buffer != nullptr) begin_again(begun.message_buffer, skipped() ? 0 : begun.number);
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
    set_words({words, used});
}

// The requests' messages have headers all the same.
void Call::start_unrecorded(RequestArray list, int count) {
    if (!piggyback_policy.on || !is_applications()) return;
    for (int i = 0; i < count; ++i)
        begin_again(requests.begin(key_of(list[i]), request_number(lane_number(), 0), true).message_buffer, 0);
}

void Call::begin_again(MessageBuffer* message_buffer, std::uint64_t send_id) {
    late_by(call_costs.begin_send);
    send_off_again(message_buffer, header_of_sender(*this, send_id));
}

// What was begun above is as it was before.
void Call::starts_failed(RequestArray list, int count) {
    if (words_.empty()) return;
    const std::uint64_t first = Started::from(words_.data()).request;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t key = key_of(list[i]);
        const PendingRequest known = requests.look(key, lane().number());
        if (known.preparation != nullptr && known.active && known.number >= first &&
            lane_of_request(known.number) == lane_of_request(first))
            requests.finish(key, lane().number());
    }
    words_ = {};
}

// The operation may still be under way; all we can say is that nobody will see it complete.
void Call::freed(MPI_Request before, const FreedRequest& freed) {
    if (!is_applications()) return;
    const PendingRequest request = requests.take(key_of(before), lane_number(), freed.since());
    delete request.duplicate;
    delete request.preparation;
    if (!freed.is_kept()) free_message_buffers(request.message_buffer);
    if (!recorded()) return;
    if (request.kind == RequestKind::receive && request.active && (request.skipped || skipped()))
        lane().skipped().add(request.comm, request.peer, Direction::received);
    if (request.kind == RequestKind::none || !request.active) return;
    record_->request = request.number;
    record_->what.flags |= flag::completes;
}

// The call is about a request, and perhaps some of its partitions, which follow its number in the words.
void Call::concerns(MPI_Request request, std::span<const std::int64_t> partitions) {
    const PendingRequest known = requests.look(key_of(request), lane().number());
    if (known.kind == RequestKind::none) return;
    const std::size_t count = 1 + partitions.size();
    auto* const words = room_for_words(count);
    if (words == nullptr) return;
    words[0] = static_cast<std::int64_t>(known.number);
    std::copy(partitions.begin(), partitions.end(), words + 1);
    set_words({words, count});
}

std::vector<std::int64_t> partition_ranges(const int* partitions, int count) {
    std::vector<std::int64_t> ranges;
    for (int i = 0; i < count; ++i) ranges.insert(ranges.end(), 2, partitions[i]);
    return ranges;
}

// A message that is carried has a message_buffer that knows the communicator.
void Call::matched(const StatusSlot& status, MPI_Message message, bool carried, MPI_Comm comm) {
    MessageBuffer* const message_buffer = carried ? make_message_buffer(0) : nullptr;
    if (message_buffer != nullptr) message_buffer->comm = comm;
    if (!recorded()) {
        if (carried)
            messages.add(key_of(message),
                         {.kind = RequestKind::receive, .skipped = true, .message_buffer = message_buffer});
        return;
    }
    probed(status);
    if (message == handle.MESSAGE_NO_PROC) return;
    record_->request = lane_->next_request();
    record_->what.flags |= flag::starts;
    messages.add(key_of(message), {.number = record_->request,
                                   .kind = RequestKind::receive,
                                   .skipped = skipped(),
                                   .comm = record_->what.comm,
                                   .message_buffer = message_buffer});
}

const MessageBuffer* matched_message(const Call& call, MPI_Message message) {
    if (!piggyback_policy.on || !call.is_applications()) return nullptr;
    return messages.look(key_of(message), 0).message_buffer;
}

// False when the message was matched out of our sight, or is MPI_MESSAGE_NO_PROC.
bool Call::take_message(MPI_Message message) {
    if (!is_applications()) return false;
    const PendingRequest known = messages.take(key_of(message), lane_number(), since());
    free_message_buffers(known.message_buffer);
    if (!recorded()) return false;
    record_->what.comm = known.comm;
    record_->request = known.number;
    return known.kind != RequestKind::none && !known.skipped;
}

void Call::received_matched(int rc, const StatusSlot& status, MPI_Datatype type, MPI_Message message) {
    if (take_message(message) && rc == MPI_SUCCESS) record_->what.flags |= flag::completes;
    if (good(rc)) received(status, type);
}

// The message's number stands in the words, the new request's in the record.
void Call::starts_matched(MPI_Request request, MPI_Datatype type, MPI_Message message, MessageBuffer* message_buffer) {
    const bool known = take_message(message);
    if (recorded()) {
        const std::uint64_t number = std::exchange(record_->request, 0);
        own_words_[0] = static_cast<std::int64_t>(number);
        if (known) set_words({own_words_, 1});
        receives_into(type);
    }
    starts(request, message == handle.MESSAGE_NO_PROC ? RequestKind::plain : RequestKind::receive, message_buffer);
}

} // namespace tactus
