#include "collector/piggyback/parcel.hpp"

#include "collector/comms.hpp"
#include "collector/piggyback/apart.hpp"
#include "collector/piggyback/carrying.hpp"
#include "collector/piggyback/landing.hpp"
#include "collector/thread.hpp"
#include "mpi_kind.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sched.h>
#include <utility>

namespace tactus {

namespace {

int type_is_gone(MPI_Datatype, int, void* gone, void*) {
    *static_cast<bool*>(gone) = true;
    return MPI_SUCCESS;
}

int not_copied(MPI_Datatype, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

// Only an attribute's delete function tells whether a datatype is gone when it is freed.
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

void free_type(Parcel& parcel) {
    if (parcel.type == MPI_Datatype{}) return;
    const bool nothing_came = parcel.received && parcel.header.send_id == no_message_yet;
    if (nothing_came && failed_receive_keeps_type)
        free_type_for_good(parcel.type);
    else
        pmpi.Type_free(&parcel.type);
    parcel.type = {};
}

Parcel* make_parcel(std::size_t room, std::size_t untouched) {
    void* const memory = operator new(sizeof(Parcel) + room + untouched, std::nothrow);
    auto* const parcel = memory != nullptr ? new (memory) Parcel : nullptr;
    if (parcel != nullptr) parcel->room = room;
    return parcel;
}

void free_parcels(Parcel* first) {
    while (first != nullptr) {
        free_type(*first);
        operator delete(std::exchange(first, first->next));
    }
}

Parcel* take_spare_parcel(std::size_t room) {
    Parcel* const spare = thread.spare_parcels;
    if (spare == nullptr || room > carrying.spare_room) [[unlikely]]
        return make_parcel(std::max(room, carrying.spare_room), overrun_of_truncated);
    thread.spare_parcels = spare->next;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    spare->next = nullptr;
    return spare;
}

void give_back(Parcel* parcel) {
    free_type(*parcel);
    // A thread without a lane says nothing when it ends, so it keeps none.
    if (parcel->room > carrying.spare_room || thread.lane == nullptr) [[unlikely]]
        return free_parcels(parcel);
    parcel->next = thread.spare_parcels;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread.spare_parcels = parcel;
}

void free_spare_parcels() { free_parcels(std::exchange(thread.spare_parcels, nullptr)); }

bool send_off(Parcel& parcel, const MessageHeader& header) {
    if (const Parting* const parting = parcel.parting; parting != nullptr) {
        if (!parting->only_header) return send_apart(*parting, header, parcel.data() + sizeof *parting);
        send_beside(*parting, header);
        return true;
    }
    parcel.header = header;
    if (parcel.copied) std::memcpy(parcel.data(), parcel.user, parcel.bytes);
    return true;
}

void send_off_again(Parcel* parcel, const MessageHeader& header) {
    if (parcel == nullptr) return;
    parcel->taken_in.reset();
    if (!parcel->received) {
        send_off(*parcel, header);
        return;
    }
    parcel->header.send_id = no_message_yet;
    if (parcel->landing != nullptr) keep_front(*parcel->landing);
}

namespace {

// As much as there is room for, of what came where the header would be.
void deliver_in_front(Parcel& parcel, std::size_t length) {
    const std::size_t bytes = std::min(length, parcel.bytes);
    if (bytes == 0) return;
    if (parcel.user != nullptr) {
        std::memcpy(parcel.user, &parcel.header, bytes);
        return;
    }
    // Into a datatype with gaps: again, now behind a header.
    std::byte again[2 * header_bytes] = {};
    std::memcpy(again + header_bytes, &parcel.header, bytes);
    copy_by_message({again, static_cast<MPI_Count>(header_bytes + bytes), handle.BYTE},
                    {&parcel.header, 1, parcel.type});
}

// In less room than a message without a header takes, and so an error. What fits is there, behind where a header would
// have been; on some MPIs nothing is.
void deliver_beginning(Parcel& parcel) {
    if (parcel.user == nullptr) return;
    auto* const user = static_cast<std::byte*>(parcel.user);
    const std::size_t first = std::min(header_bytes, parcel.bytes);
    if (parcel.copied)
        std::memcpy(user + first, parcel.data(), parcel.bytes - first);
    else
        std::memmove(user + first, user, parcel.bytes - first);
    std::memcpy(user, &parcel.header, first);
}

// Too long for any receive that is no landing.
void deliver_beginning_apart(const Parcel& parcel, const MPI_Status& status, std::uint64_t length, std::uint64_t size) {
    Apart* const apart = fetch_apart(status, size, &parcel.header, length);
    if (apart == nullptr) return;
    if (tells_truncated_length && parcel.user != nullptr) std::memcpy(parcel.user, apart->data(), parcel.bytes);
    operator delete(apart);
}

Came take_in_tiny(Parcel& parcel, const MPI_Status& status, std::uint64_t length) {
    const bool cut = !parcel.in_place && length > parcel.bytes;
    if (parcel.taken_in.begin()) {
        MessageHeader header{};
        const bool came = fetch_beside(status, length, header);
        if (!parcel.in_place && (!cut || tells_truncated_length)) deliver_in_front(parcel, length);
        parcel.header = header;
        parcel.headed = came;
        parcel.taken_in.end();
    }
    return cut ? Came::cut : parcel.headed ? Came::beside : Came::bare;
}

} // namespace

bool Once::begin() {
    unsigned char is = state_.load(std::memory_order_acquire);
    if (is == done) return false;
    if (!carrying.names) { // threads do not make calls at the same time
        state_.store(busy, std::memory_order_relaxed);
        return is == open;
    }
    is = open;
    if (state_.compare_exchange_strong(is, busy, std::memory_order_acquire)) return true;
    while (state_.load(std::memory_order_acquire) != done) sched_yield();
    return false;
}

Came take_in(Parcel* parcel, MPI_Status& status, int error) {
    if (!parcel->received || cancelled(status)) return Came::nothing;
    const bool failed = error != MPI_SUCCESS;
    if (failed && (error != MPI_ERR_TRUNCATE || !tells_truncated_length)) [[unlikely]]
        return Came::nothing; // the status says nothing
    if (parcel->landing != nullptr) [[unlikely]]
        return land(*parcel, status, failed);
    const std::uint64_t length = bytes_in(status);
    const Form form = carrying.lengths.form_at(length);
    if (form == Form::headed) [[likely]] {
        if (parcel->header.send_id == no_message_yet) return Came::nothing;
        set_bytes(status, length - header_bytes);
        if (parcel->copied && parcel->taken_in.begin()) {
            std::memcpy(parcel->user, parcel->data(), std::min<std::size_t>(length - header_bytes, parcel->bytes));
            parcel->taken_in.end();
        }
        return Came::headed;
    }
    if (parcel->in_place && failed) return Came::nothing;
    if (form == Form::beside) return take_in_tiny(*parcel, status, length);
    if (form == Form::bare) {
        if (!tells_truncated_length || length <= header_bytes || !parcel->taken_in.begin()) return Came::nothing;
        deliver_beginning(*parcel);
        parcel->taken_in.end();
        return Came::nothing;
    }
    const std::uint64_t size = carrying.lengths.size_at(length);
    set_bytes(status, size);
    if (parcel->taken_in.begin()) {
        deliver_beginning_apart(*parcel, status, length, size);
        parcel->taken_in.end();
    }
    return failed ? Came::nothing : Came::cut;
}

int cut_short(MPI_Comm comm, int code) {
    if (comms.is_closed(comm)) pmpi.Comm_call_errhandler(comm, code); // it may have been freed
    return code;
}

} // namespace tactus
