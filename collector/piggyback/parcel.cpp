#include "collector/piggyback/parcel.hpp"

#include "collector/piggyback/carrying.hpp"
#include "collector/thread.hpp"
#include "mpi_kind.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
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
    void* const memory = std::malloc(sizeof(Parcel) + room + untouched);
    return memory != nullptr ? new (memory) Parcel{.room = room} : nullptr;
}

void free_parcels(Parcel* first) {
    while (first != nullptr) {
        free_type(*first);
        std::free(std::exchange(first, first->next));
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

Parcel* chained(Parcel* incoming, Parcel* outgoing) {
    if (incoming == nullptr) return outgoing;
    incoming->next = outgoing;
    return incoming;
}

void send_off(Parcel& parcel, const MessageHeader& header) {
    parcel.header = header;
    if (parcel.bytes > 0) std::memcpy(parcel.data(), parcel.user, parcel.bytes);
}

void send_off_again(Parcel* first, const MessageHeader& header) {
    for (Parcel* one = first; one != nullptr; one = one->next) {
        one->taken_in = false;
        one->header.send_id = no_message_yet;
        if (!one->received) send_off(*one, header);
    }
}

bool take_in(Parcel* parcel, MPI_Status& status) {
    if (!parcel->received || parcel->header.send_id == no_message_yet) return false;
    const std::uint64_t came = bytes_in(status);
    if (came < header_bytes && !parcel->whole) return false;
    if (came >= header_bytes) set_bytes(status, came - header_bytes);
    const std::size_t copied =
        parcel->whole ? parcel->bytes : std::min<std::size_t>(came - header_bytes, parcel->bytes);
    if (copied > 0 && !std::exchange(parcel->taken_in, true)) std::memcpy(parcel->user, parcel->data(), copied);
    return true;
}

void take_in_all(Parcel* first, MPI_Status& status) {
    for (Parcel* one = first; one != nullptr; one = one->next) take_in(one, status);
}

} // namespace tactus
