#include "piggyback/mpi/message_buffer.hpp"

#include "mpi_kind.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/large_receive.hpp"
#include "piggyback/mpi/policy.hpp"
#include "piggyback/mpi/side_message.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <sched.h>
#include <utility>

namespace tactus {

namespace {

thread_local constinit MessageBuffer* spare_message_buffers = nullptr; // of this thread
thread_local constinit bool keeps_spare_ones = false;

// Buffers for requests with little data, which this thread keeps for its next requests. Where more than a few of one
// size are under way, the C library's allocator takes a slow path: with 16 it cost 200 instructions a message.
thread_local constinit MessageBuffer* small_buffers = nullptr;
thread_local constinit unsigned small_buffers_count = 0;
thread_local constinit bool small_buffers_change = false; // A signal handler that interrupts this leaves them alone.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // which see what is freed, and its exact size
constexpr std::size_t small_room = 0;
constexpr unsigned most_small_buffers = 0;
#else
constexpr std::size_t small_room = 64;
constexpr unsigned most_small_buffers = 64;
#endif

MessageBuffer* take_small_buffer() {
    if (small_buffers_change) [[unlikely]]
        return nullptr;
    small_buffers_change = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    MessageBuffer* const taken = small_buffers;
    if (taken != nullptr) {
        small_buffers = taken->next;
        --small_buffers_count;
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    small_buffers_change = false;
    return taken;
}

bool keep_small_buffer(MessageBuffer& message_buffer) {
    if (message_buffer.room != small_room || !keeps_spare_ones || small_buffers_change) return false;
    small_buffers_change = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool kept = small_buffers_count != most_small_buffers;
    if (kept) {
        message_buffer.next = std::exchange(small_buffers, &message_buffer);
        ++small_buffers_count;
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    small_buffers_change = false;
    return kept;
}

void free_small_buffers() {
    small_buffers_change = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    free_message_buffers(std::exchange(small_buffers, nullptr));
    small_buffers_count = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    small_buffers_change = false;
}

int type_is_gone(MPI_Datatype, int, void* gone, void*) {
    *static_cast<bool*>(gone) = true;
    return MPI_SUCCESS;
}

int not_copied(MPI_Datatype, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

// Frees a datatype of which the MPI may have kept a reference. Only the delete function of an attribute tells whether
// the datatype is gone after the first MPI_Type_free.
void free_type_for_good(MPI_Datatype type) {
    int keyval = MPI_KEYVAL_INVALID;
    bool gone = false;
    MPI_Datatype again = type;
    const bool watched = pmpi.Type_create_keyval(not_copied, type_is_gone, &keyval, nullptr) == MPI_SUCCESS &&
                         pmpi.Type_set_attr(type, keyval, &gone) == MPI_SUCCESS;
    pmpi.Type_free(&type);
    if (watched && !gone) pmpi.Type_free(&again);
    if (keyval != MPI_KEYVAL_INVALID) pmpi.Type_free_keyval(&keyval);
}

} // namespace

void free_type(MessageBuffer& message_buffer) {
    if (message_buffer.type == MPI_Datatype{}) return;
    const bool nothing_came =
        message_buffer.for_receive && message_buffer.header.send_id == piggyback_policy.no_message_yet();
    if (nothing_came && failed_receive_keeps_type)
        free_type_for_good(message_buffer.type);
    else
        pmpi.Type_free(&message_buffer.type);
    message_buffer.type = {};
}

MessageBuffer* make_message_buffer(std::size_t room, std::size_t untouched) {
    void* memory = nullptr;
    if (room <= small_room && untouched == 0) {
        room = small_room;
        memory = take_small_buffer();
    }
    if (memory == nullptr) memory = operator new(sizeof(MessageBuffer) + room + untouched, std::nothrow);
    auto* const message_buffer = memory != nullptr ? new (memory) MessageBuffer : nullptr;
    if (message_buffer != nullptr) message_buffer->room = room;
    return message_buffer;
}

void free_message_buffers(MessageBuffer* first) {
    while (first != nullptr) {
        MessageBuffer* const one = std::exchange(first, first->next);
        free_type(*one);
        if (!keep_small_buffer(*one)) operator delete(one);
    }
}

MessageBuffer* get_spare_message_buffer(std::size_t room) {
    MessageBuffer* const spare = spare_message_buffers;
    if (spare == nullptr || room > piggyback_policy.spare_room) [[unlikely]]
        return make_message_buffer(std::max(room, piggyback_policy.spare_room), overrun_of_truncated);
    spare_message_buffers = spare->next;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    spare->next = nullptr;
    return spare;
}

void give_back(MessageBuffer* message_buffer) {
    free_type(*message_buffer);
    if (message_buffer->room > piggyback_policy.spare_room || !keeps_spare_ones) [[unlikely]]
        return free_message_buffers(message_buffer);
    message_buffer->next = spare_message_buffers;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    spare_message_buffers = message_buffer;
}

void keep_spare_message_buffers() { keeps_spare_ones = true; }

void free_spare_message_buffers() {
    keeps_spare_ones = false;
    free_message_buffers(std::exchange(spare_message_buffers, nullptr));
    free_small_buffers();
}

bool send_off(MessageBuffer& message_buffer, const MessageHeader& header) {
    if (const SidePart* const side_part = message_buffer.side_part; side_part != nullptr) {
        if (!side_part->only_header)
            return send_side_message(*side_part, header, message_buffer.data() + sizeof *side_part);
        send_header(*side_part, header);
        return true;
    }
    message_buffer.header = header;
    message_buffer.header.check = check_of(header, message_buffer.envelope, piggyback_policy.key);
    if (message_buffer.copied) std::memcpy(message_buffer.data(), message_buffer.user, message_buffer.bytes);
    return true;
}

void send_off_again(MessageBuffer* message_buffer, const MessageHeader& header) {
    if (message_buffer == nullptr) return;
    message_buffer->delivered.reset();
    if (!message_buffer->for_receive) {
        send_off(*message_buffer, header);
        return;
    }
    message_buffer->header.send_id = piggyback_policy.no_message_yet();
    if (message_buffer->large_receive != nullptr) keep_front(*message_buffer->large_receive);
}

namespace {

// Delivers the first `bytes` of a message without a header into a datatype with gaps. The MPI has received it into the
// header's place and after that into the datatype. So it is sent once more, together with a header.
// Returns false when memory is refused, or when the MPI would have refused the message.
bool deliver_again(MessageBuffer& message_buffer, std::size_t bytes) {
    const std::size_t all = header_bytes + message_buffer.bytes;
    const std::unique_ptr<std::byte[]> message{new (std::nothrow) std::byte[header_bytes + all]{}};
    if (message == nullptr) return false;
    std::byte* const data = message.get() + header_bytes;
    if (bytes <= header_bytes)
        std::memcpy(data, &message_buffer.header, bytes);
    else
        copy_by_message({&message_buffer.header, 1, message_buffer.type},
                        {data, static_cast<MPI_Count>(all), handle.BYTE});
    return copy_by_message({message.get(), static_cast<MPI_Count>(header_bytes + bytes), handle.BYTE},
                           {&message_buffer.header, 1, message_buffer.type});
}

// Delivers the first `bytes` of a message without a header, which the MPI has received into the header's place and
// after it. Returns false as deliver_again() does.
bool deliver_without_header(MessageBuffer& message_buffer, std::size_t bytes) {
    if (bytes == 0) return true;
    if (message_buffer.user == nullptr) return deliver_again(message_buffer, bytes);
    auto* const user = static_cast<std::byte*>(message_buffer.user);
    const std::size_t first = std::min(header_bytes, bytes);
    if (message_buffer.copied)
        std::memcpy(user + first, message_buffer.data(), bytes - first);
    else
        std::memmove(user + first, user, bytes - first);
    std::memcpy(user, &message_buffer.header, first);
    return true;
}

// A message that came around tactus, or one that is longer than its receive, which is an error.
Received finish_bare_receive(MessageBuffer& message_buffer, std::uint64_t length, bool failed) {
    const bool cut = length > message_buffer.bytes;
    if (message_buffer.delivered.begin()) {
        // Some MPIs deliver nothing of a message that is too long.
        message_buffer.lost =
            (!cut || tells_truncated_length) &&
            !deliver_without_header(message_buffer, std::min<std::size_t>(length, message_buffer.bytes));
        message_buffer.delivered.end();
    }
    return failed ? Received::nothing : cut || message_buffer.lost ? Received::truncated : Received::bare;
}

// The data of a side message is too long for every receive that has no LargeReceive, so only its beginning is
// delivered.
void deliver_beginning_of_side_message(const MessageBuffer& message_buffer, const MPI_Status& status,
                                       std::uint64_t length, std::uint64_t size) {
    SideMessage* const side_message = fetch_side_message(status, size, &message_buffer.header, length);
    if (side_message == nullptr) return;
    if (tells_truncated_length && message_buffer.user != nullptr)
        std::memcpy(message_buffer.user, side_message->data(), message_buffer.bytes);
    operator delete(side_message);
}

Received finish_split_receive(MessageBuffer& message_buffer, const MPI_Status& status, std::uint64_t length) {
    const bool cut = !message_buffer.in_place && length > message_buffer.bytes;
    if (message_buffer.delivered.begin()) {
        MessageHeader header{};
        const bool found = fetch_header(status, length, header);
        message_buffer.lost =
            !message_buffer.in_place && (!cut || tells_truncated_length) &&
            !deliver_without_header(message_buffer, std::min<std::size_t>(length, message_buffer.bytes));
        message_buffer.header = header;
        message_buffer.headed = found;
        message_buffer.delivered.end();
    }
    return cut || message_buffer.lost ? Received::truncated : message_buffer.headed ? Received::split : Received::bare;
}

bool has_header(const MessageBuffer& message_buffer, const MPI_Status& status) {
    if (!message_buffer.in_two) [[likely]]
        return is_header(message_buffer.header, status);
    MessageHeader header = message_buffer.header;
    reinterpret_cast<std::byte*>(&header)[header_bytes - 1] = *message_buffer.last_byte();
    return is_header(header, status);
}

// Of a message that was too long, an MPI may tell only how much room there was, and that counts our header. MPICH does
// so on a communicator of one rank, and delivers what fits.
bool tells_only_room(const MessageBuffer& message_buffer, const MPI_Status& status) {
    return !message_buffer.in_place && message_buffer.large_receive == nullptr &&
           bytes_in(status) == header_bytes + message_buffer.bytes;
}

void finish_filled_receive(MessageBuffer& message_buffer, MPI_Status& status) {
    set_bytes(status, message_buffer.bytes);
    const bool came = message_buffer.header.send_id != piggyback_policy.no_message_yet();
    if (!came || !message_buffer.delivered.begin()) return;
    if (!has_header(message_buffer, status))
        deliver_without_header(message_buffer, message_buffer.bytes);
    else if (message_buffer.copied)
        std::memcpy(message_buffer.user, message_buffer.data(), message_buffer.bytes);
    message_buffer.delivered.end();
}

} // namespace

bool is_header(const MessageHeader& header, const MPI_Status& status) {
    return header.check == check_of(header, {status.MPI_SOURCE, status.MPI_TAG}, piggyback_policy.key);
}

bool Once::begin() {
    unsigned char is = state_.load(std::memory_order_acquire);
    if (is == done) return false;
    if (!piggyback_policy.names) { // No two threads make calls at the same time.
        state_.store(busy, std::memory_order_relaxed);
        return is == open;
    }
    is = open;
    if (state_.compare_exchange_strong(is, busy, std::memory_order_acquire)) return true;
    while (state_.load(std::memory_order_acquire) != done) sched_yield();
    return false;
}

Received finish_receive(MessageBuffer* message_buffer, MPI_Status& status, int error) {
    if (!message_buffer->for_receive || cancelled(status)) return Received::nothing;
    const bool failed = error != MPI_SUCCESS;
    if (error == MPI_ERR_TRUNCATE && tells_only_room(*message_buffer, status)) [[unlikely]] {
        finish_filled_receive(*message_buffer, status);
        return Received::nothing;
    }
    if (failed && (error != MPI_ERR_TRUNCATE || !tells_truncated_length)) [[unlikely]]
        return Received::nothing; // The status was not set.
    if (message_buffer->large_receive != nullptr) [[unlikely]]
        return finish_large_receive(*message_buffer, status, failed);
    const std::uint64_t length = bytes_in(status);
    const Form form = piggyback_policy.lengths.form_at(length);
    if (form == Form::headed) [[likely]] {
        if (message_buffer->header.send_id == piggyback_policy.no_message_yet()) return Received::nothing;
        if (!has_header(*message_buffer, status)) [[unlikely]]
            return finish_bare_receive(*message_buffer, length, failed);
        set_bytes(status, length - header_bytes);
        if (message_buffer->copied && message_buffer->delivered.begin()) {
            std::memcpy(message_buffer->user, message_buffer->data(),
                        std::min<std::size_t>(length - header_bytes, message_buffer->bytes));
            message_buffer->delivered.end();
        }
        return Received::headed;
    }
    if (message_buffer->in_place && failed) return Received::nothing;
    if (form == Form::split) return finish_split_receive(*message_buffer, status, length);
    if (form == Form::bare) return finish_bare_receive(*message_buffer, length, failed);
    const std::uint64_t size = piggyback_policy.lengths.size_at(length);
    if (!is_marked(status, size, &message_buffer->header, length))
        return finish_bare_receive(*message_buffer, length, failed);
    set_bytes(status, size);
    if (message_buffer->delivered.begin()) {
        deliver_beginning_of_side_message(*message_buffer, status, length, size);
        message_buffer->delivered.end();
    }
    return failed ? Received::nothing : Received::truncated;
}

int raise_truncation(MPI_Comm comm, int code) {
    if (is_closed(comm)) pmpi.Comm_call_errhandler(comm, code); // The communicator may have been freed.
    return code;
}

} // namespace tactus
