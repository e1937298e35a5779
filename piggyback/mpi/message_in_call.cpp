#include "piggyback/mpi/message_in_call.hpp"

#include "base/thread_state_kept.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/kept_requests.hpp"
#include "piggyback/mpi/large_receive.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <utility>

namespace tactus {

void MessageInCall::give(void* buffer, MPI_Count count, MPI_Datatype type) {
    loaded_ = true;
    buffer_ = buffer;
    count_ = count;
    type_ = type;
}

// Without a header the other side would misread the message. So the call must fail, and a count of -1 makes the MPI
// report the error.
void MessageInCall::fail() { give(own_, -1, handle.BYTE); }

// Returns false when memory is refused. A blocking call with `room` 0 always succeeds.
bool MessageInCall::get_message_buffer(std::size_t room, Mode mode, std::size_t untouched) {
    spare_ = mode == Mode::blocking;
    message_buffer_ = spare_ ? get_spare_message_buffer(room) : make_message_buffer(room, untouched);
    if (message_buffer_ == nullptr) [[unlikely]] {
        if (!spare_ || room > 0) return false;
        message_buffer_ = new (own_) MessageBuffer;
    }
    message_buffer_->user = nullptr;
    message_buffer_->bytes = 0;
    message_buffer_->large_receive = nullptr;
    message_buffer_->side_part = nullptr;
    message_buffer_->for_receive = false;
    message_buffer_->copied = false;
    message_buffer_->in_place = false;
    message_buffer_->headed = false;
    message_buffer_->lost = false;
    message_buffer_->in_two = false;
    message_buffer_->delivered.reset();
    message_buffer_->header.send_id = piggyback_policy.no_message_yet();
    return true;
}

void MessageInCall::unload() {
    if (released_) return;
    if (static_cast<void*>(message_buffer_) == own_) return free_type(*message_buffer_);
    spare_ ? give_back(message_buffer_) : free_message_buffers(message_buffer_);
}

void MessageInCall::load_small(const Data& data, std::size_t bytes, DataFlow way, Mode mode) {
    const bool dense = facts_of(data.type).dense;
    const bool fits = bytes <= INT_MAX - header_bytes; // because MPI_PACKED counts bytes in an int
    bool copied = piggyback_policy.copies && dense && fits && bytes <= piggyback_policy.copy_max &&
                  (way == DataFlow::out || mode == Mode::blocking || overrun_of_truncated == 0);
    if (!get_message_buffer(copied ? bytes : 0, mode)) [[unlikely]] {
        copied = false;
        if (mode != Mode::blocking || !get_message_buffer(0, mode)) return fail();
    }
    message_buffer_->user = dense ? const_cast<void*>(data.buffer) : nullptr;
    message_buffer_->bytes = bytes;
    message_buffer_->copied = copied;
    if (copied) return give(&message_buffer_->header, static_cast<MPI_Count>(header_bytes + bytes), handle.PACKED);
    // For a receive without data, a datatype of the header alone would be one piece (see overrun_of_truncated).
    message_buffer_->in_two = bytes == 0 && way == DataFlow::in && mode != Mode::blocking && overrun_of_truncated != 0;
    const bool calibrated = way == DataFlow::in && mode == Mode::starting && overrun_of_truncated != 0;
    if (!calibrated) late_by(call_costs.datatype);
    MessageHeader* const header = &message_buffer_->header;
    message_buffer_->type =
        message_buffer_->in_two
            ? type_after_header(header, {message_buffer_->last_byte(), 1, handle.BYTE}, header_bytes - 1)
            : type_after_header(header, data);
    if (message_buffer_->type == handle.DATATYPE_NULL) [[unlikely]] {
        message_buffer_->type = {};
        return fail();
    }
    give(&message_buffer_->header, 1, message_buffer_->type);
}

// Replaces `type` by an equal one that lives as long as the message buffer. The application may free its own datatype
// before the request is complete, and the datatype of a section of a Fortran array is freed when the call ends.
void MessageInCall::keep_type(MPI_Datatype& type) {
    if (datatypes.predefined(type).size != 0) return;
    pmpi.Type_contiguous(1, type, &message_buffer_->type); // MPI_Type_dup would call the application's copy callbacks.
    pmpi.Type_commit(&message_buffer_->type);
    type = message_buffer_->type;
}

void MessageInCall::load_large(const Data& data, std::uint64_t bytes, Mode mode) {
    std::vector<Piece> pieces;
    LargeReceive large_receive{data, bytes, pieces};
    const bool bounced = large_receive.placement == LargeReceive::Placement::bounced;
    if (!get_message_buffer(large_receive.space(), mode, bounced ? overrun_of_truncated : 0)) [[unlikely]]
        return fail();
    const std::size_t room = large_receive.bounce_bytes();
    const bool countable = room <= INT_MAX;
    if (bounced && countable && mode != Mode::blocking) keep_type(large_receive.data.type);
    prepare_large_receive(*message_buffer_, large_receive, pieces);
    if (mode != Mode::persistent) keep_front(*message_buffer_->large_receive);
    if (!bounced)
        return late_by(call_costs.copied_byte * static_cast<double>(piggyback_policy.lengths.longest_headed()));
    std::byte* const buffer = message_buffer_->large_receive->kept;
    if (countable) return give(buffer, static_cast<MPI_Count>(room), handle.PACKED);
    message_buffer_->type =
        type_after_header(buffer, {buffer + header_bytes, static_cast<MPI_Count>(room - header_bytes), handle.BYTE});
    give(buffer, 1, message_buffer_->type);
}

void MessageInCall::load_in(MPI_Comm comm, const Data& given, Mode mode) {
    if (!is_sound(given, DataFlow::in)) return;
    const Data data = with_valid_type(given);
    const DefaultFloats floats;
    const std::uint64_t bytes = data.bytes();
    if (piggyback_policy.lengths.all_split) [[unlikely]] {
        if (get_message_buffer(0, mode)) message_buffer_->in_place = true;
    } else if (bytes <= piggyback_policy.lengths.most_headed) [[likely]]
        load_small(data, bytes, DataFlow::in, mode);
    else
        load_large(data, bytes, mode);
    if (message_buffer_ == nullptr) [[unlikely]]
        return;
    message_buffer_->comm = comm;
    message_buffer_->for_receive = true;
    if (mode == Mode::starting) late_by(call_costs.begin_receive);
}

void MessageInCall::load_side_part(OpenCall& call, const SidePart& side_part, Mode mode) {
    const bool again = mode == Mode::persistent;
    if (!again && side_part.only_header) return send_header(side_part, header_of_sender(call, 0));
    if (!get_message_buffer(again ? sizeof(SidePart) + mark_bytes : mark_bytes, mode)) return fail();
    std::byte* mark = message_buffer_->data();
    if (again) {
        message_buffer_->side_part = new (message_buffer_->data()) SidePart{side_part};
        mark += sizeof(SidePart);
        if (!side_part.only_header) keep_type(message_buffer_->side_part->data.type);
    } else if (!send_side_message(side_part, header_of_sender(call, call.number_message()), mark)) {
        return fail();
    }
    if (side_part.only_header) return;
    give(mark, static_cast<MPI_Count>(piggyback_policy.lengths.length_of(side_part.data.bytes())), handle.PACKED);
}

void MessageInCall::load_out(OpenCall& call, const Destination& to, const Data& given, Mode mode) {
    if (!is_sound(given, DataFlow::out)) return;
    const Data data = with_valid_type(given);
    const std::uint64_t bytes = data.bytes();
    const Form form = piggyback_policy.lengths.form_of(bytes);
    if (form == Form::bare) return;
    const DefaultFloats floats;
    if (form == Form::headed) [[likely]] {
        load_small(data, bytes, DataFlow::out, mode);
        if (message_buffer_ == nullptr) return;
        message_buffer_->comm = to.comm;
        message_buffer_->envelope = {known_comms.rank(to.comm), to.tag};
        if (mode != Mode::persistent) leave(call, mode);
        return;
    }
    SidePart side_part{.route = {}, .data = data, .bytes = bytes, .only_header = form == Form::split};
    if (!find_route(to, side_part.route)) return; // The MPI reports that there is no such receiver.
    load_side_part(call, side_part, mode);
    if (message_buffer_ != nullptr) message_buffer_->comm = to.comm;
}

void MessageInCall::leave(OpenCall& call, Mode mode) {
    late_by((mode == Mode::blocking ? call_costs.send : call_costs.begin_send) +
            (message_buffer_->copied ? call_costs.copied_byte * static_cast<double>(message_buffer_->bytes) : 0));
    send_off(*message_buffer_, header_of_sender(call, call.number_message()));
}

// The message is sent from a copy, since the application's request no longer tells when the send is complete.
void MessageInCall::detach(OpenCall& call, const Destination& to, const Data& given, Mode mode) {
    const DefaultFloats floats;
    const Data data = with_valid_type(given);
    SidePart side_part{.route = {}, .data = data, .bytes = 0, .only_header = false};
    if (!is_sound(given, DataFlow::out) || !is_tag(to.tag) || !find_route(to, side_part.route)) return;
    side_part.bytes = data.bytes();
    const Form form = piggyback_policy.lengths.form_of(side_part.bytes);
    MessageBuffer* const message_buffer = make_message_buffer(std::max<std::size_t>(side_part.bytes, mark_bytes));
    if (message_buffer == nullptr) return fail();
    message_buffer->comm = to.comm;
    message_buffer->header =
        header_of_sender(call, form == Form::headed || form == Form::side_message ? call.number_message() : 0);
    message_buffer->header.check =
        check_of(message_buffer->header, {side_part.route.sender, to.tag}, piggyback_policy.key);
    if (form == Form::split) send_header(side_part, message_buffer->header);
    if (form == Form::side_message) {
        if (!send_side_message(side_part, message_buffer->header, message_buffer->data())) return fail();
    } else {
        pack(data, message_buffer->data(), side_part.bytes);
    }
    const void* const from =
        form == Form::headed ? static_cast<void*>(&message_buffer->header) : message_buffer->data();
    const OnePiece piece{from, piggyback_policy.lengths.length_of(side_part.bytes)};
    MPI_Request request = handle.REQUEST_NULL;
    pmpi.Isend(from, piece.count(), piece.type(), to.peer, to.tag, to.comm, &request);
    detached_ = true;
    if (mode != Mode::blocking) {
        keep_until_done(request, message_buffer);
        return;
    }
    detached_request_ = request;
    detached_message_buffer_ = message_buffer;
}

void MessageInCall::await_detached() {
    if (detached_message_buffer_ == nullptr) return;
    MPI_Status status;
    pmpi.Wait(&detached_request_, &status);
    free_message_buffers(std::exchange(detached_message_buffer_, nullptr));
}

int MessageInCall::take(OpenCall& call, int rc, MPI_Status& status) {
    const DefaultFloats floats;
    const Received received = finish_receive(message_buffer_, status, rc == MPI_SUCCESS ? rc : class_of(rc));
    const std::size_t copied = message_buffer_->copied ? message_buffer_->bytes : 0;
    late_by(call_costs.receive + call_costs.copied_byte * static_cast<double>(copied));
    if (received == Received::truncated) [[unlikely]] {
        call.fails();
        return raise_truncation(message_buffer_->comm);
    }
    if (received != Received::headed && received != Received::split) return rc;
    Arrivals arrivals;
    arrivals.add(message_buffer_->header, call.comm(), status.MPI_SOURCE);
    arrivals.settle(call);
    if (piggyback_policy.names && received == Received::headed && call.recorded()) [[unlikely]] {
        call.note_received_message(message_buffer_->header.send_id);
    }
    return rc;
}

Exchanged::Exchanged(OpenCall& call, MPI_Comm comm, int dest, int tag, int source, const Data& data, Mode mode)
    : receives_{source != MPI_PROC_NULL} {
    const bool moves = dest != MPI_PROC_NULL || receives_;
    if (!moves || !is_carried(call, comm, receives_ ? source : dest)) return;
    load_both(call, {comm, dest, tag}, source, data, mode);
}

// A blocking call sends a message with a header from the message buffer into which it receives the other message. It
// sends and receives a large message in the application's buffer. All other messages are detached.
void Exchanged::load_both(OpenCall& call, const Destination& to, int source, const Data& given, Mode mode) {
    if (!receives_) return load_out(call, to, given, mode);
    if (!is_sound(given, DataFlow::both) || !is_source(to.comm, source)) return;
    const Data data = with_valid_type(given);
    load_in(to.comm, data, mode);
    if (to.peer == MPI_PROC_NULL) return;
    const Form form = piggyback_policy.lengths.form_of(data.bytes());
    const bool in_one = mode == Mode::blocking && (form == Form::headed || (form == Form::bare && !loaded_));
    if (!in_one) return detach(call, to, data, mode);
    if (form != Form::headed || message_buffer_ == nullptr) return;
    message_buffer_->envelope = {known_comms.rank(to.comm), to.tag};
    const DefaultFloats floats;
    leave(call, mode);
}

// When no message has arrived, the buffer still holds the header that this rank sent. An equal header may also have
// arrived, when the rank sends to itself. So only the return code tells whether a message has arrived.
int Exchanged::arrive(OpenCall& call, int rc, MPI_Status& status) {
    await_detached();
    if (message_buffer_ == nullptr) return rc;
    if (piggyback_policy.names && call.recorded()) [[unlikely]]
        call.note_sent_message();
    if (!receives_) return rc;
    const bool arrived = rc == MPI_SUCCESS || (tells_truncated_length && class_of(rc) == MPI_ERR_TRUNCATE);
    if (!arrived && message_buffer_->large_receive == nullptr)
        message_buffer_->header.send_id = piggyback_policy.no_message_yet();
    return take(call, rc, status);
}

bool is_source(MPI_Comm comm, int source) { return source == MPI_ANY_SOURCE || world_rank(comm, source) >= 0; }

bool repair_probed(const OpenCall& call, MPI_Status& status, MPI_Comm comm) {
    if (!is_carried(call, comm, status.MPI_SOURCE)) return false;
    set_bytes(status, piggyback_policy.lengths.size_at(bytes_in(status)));
    return true;
}

} // namespace tactus
