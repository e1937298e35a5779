#include "collector/piggyback/cargo.hpp"

#include "collector/completion.hpp"
#include "collector/piggyback/delays.hpp"
#include "collector/session.hpp"

#include <climits>
#include <new>

namespace tactus {

void Cargo::load(const Data& data, Way way, Mode mode, bool tells_length) {
    if (!is_sound(data, way)) return;
    const Datatypes::Predefined known = datatypes.predefined(data.type);
    const std::size_t bytes = static_cast<std::size_t>(data.count) * known.size;
    // MPI_Isendrecv_replace is copied there and back, whole: MPICH gives up a reference to its datatype that it never
    // took (4.0.2). Of MPI_Isendrecv nobody would know how much to copy.
    const bool fits = bytes <= INT_MAX - header_bytes; // the count of MPI_PACKED
    const bool whole = way == Way::both && !tells_length;
    const bool may_be_copied = carrying.copies && bytes <= carrying.copy_max && (tells_length || way == Way::out) &&
                               (way == Way::out || mode == Mode::blocking || overrun_of_truncated == 0);
    bool copied = known.dense && fits && (whole || may_be_copied);
    const std::size_t room = copied ? bytes : 0;
    loaded_ = true;
    spare_ = mode == Mode::blocking;
    parcel_ = spare_ ? take_spare_parcel(room) : make_parcel(room);
    if (parcel_ == nullptr) [[unlikely]] { // memory is refused
        if (!spare_) return fail();
        parcel_ = new (own_) Parcel;
        copied = false;
    }
    parcel_->user = copied ? const_cast<void*>(data.buffer) : nullptr;
    parcel_->bytes = copied ? bytes : 0;
    parcel_->received = way != Way::out;
    parcel_->taken_in = false;
    parcel_->whole = whole && copied;
    parcel_->header.send_id = no_message_yet;
    if (copied) {
        count_ = static_cast<MPI_Count>(header_bytes + bytes);
        type_ = handle.PACKED;
        return;
    }
    const bool calibrated = way == Way::in && mode == Mode::starting && overrun_of_truncated != 0;
    if (!calibrated) late_by(call_costs.datatype);
    count_ = 1;
    type_ = type_behind(&parcel_->header, data);
    if (type_ == handle.DATATYPE_NULL) [[unlikely]]
        return fail();
    parcel_->type = type_;
}

// Without a header the other side could not be understood, so the call fails, as the MPI says that it does.
void Cargo::fail() {
    count_ = -1;
    type_ = handle.BYTE;
}

void Cargo::unload() {
    if (parcel_ == nullptr || released_) return;
    if (static_cast<void*>(parcel_) == own_) return free_type(*parcel_);
    spare_ ? give_back(parcel_) : free_parcels(parcel_);
}

void Cargo::leave(Call& call, Mode mode) {
    late_by((mode == Mode::blocking ? call_costs.send : call_costs.begin_send) +
            call_costs.copied_byte * static_cast<double>(parcel_->bytes));
    send_off(*parcel_, header_of_sender(call, call.number_message()));
}

void Cargo::name_sent(Call& call) {
    thread.named[0] = call.number();
    call.names({thread.named, 1});
}

void Cargo::take(Call& call, MPI_Status& status) {
    if (!take_in(parcel_, status)) return;
    Arrivals arrivals;
    arrivals.add(parcel_->header, call.comm(), status.MPI_SOURCE);
    arrivals.settle(call);
    if (carrying.names && call.recorded()) [[unlikely]] {
        thread.named[0] = call.number();
        thread.named[1] = static_cast<std::int64_t>(parcel_->header.send_id);
        call.names(thread.named);
    }
    late_by(call_costs.receive + call_costs.copied_byte * static_cast<double>(parcel_->bytes));
}

void Cargo::await(Mode mode) {
    if (mode == Mode::starting) late_by(call_costs.begin_receive);
}

Incoming::Incoming(const Call& call, MPI_Message message, const Data& data, Mode mode) {
    if (carrying.on && call.is_applications() && messages.look(key_of(message), 0).carried) load(data, Way::in, mode);
    if (parcel_ != nullptr) await(mode);
}

Exchanged::Exchanged(Call& call, MPI_Comm comm, int dest, int source, const Data& data, Mode mode)
    : receives_{source != MPI_PROC_NULL} {
    const bool moves = dest != MPI_PROC_NULL || receives_;
    if (!moves || !is_carried(call, comm, receives_ ? source : dest)) return;
    load(data, Way::both, mode, mode == Mode::blocking);
    if (parcel_ == nullptr) return;
    parcel_->received = receives_;
    leave(call, mode);
}

// Our own header is still there when no message came, and an equal one when it is our own message: so only what the
// call returned tells.
void Exchanged::arrive(Call& call, int rc, MPI_Status& status) {
    if (parcel_ == nullptr) return;
    if (carrying.names && call.recorded()) [[unlikely]]
        name_sent(call);
    if (!receives_) return;
    const bool came = rc == MPI_SUCCESS || (tells_truncated_length && class_of(rc) == MPI_ERR_TRUNCATE);
    if (!came) parcel_->header.send_id = no_message_yet;
    take(call, status);
}

bool repair_probed(const Call& call, MPI_Status& status, MPI_Comm comm) {
    if (!is_carried(call, comm, status.MPI_SOURCE)) return false;
    if (const std::uint64_t bytes = bytes_in(status); bytes >= header_bytes) set_bytes(status, bytes - header_bytes);
    return true;
}

} // namespace tactus
