#include "collector/piggyback/cargo.hpp"

#include "collector/completion.hpp"
#include "collector/piggyback/delays.hpp"
#include "collector/piggyback/freed_requests.hpp"
#include "collector/piggyback/landing.hpp"
#include "collector/session.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <utility>

namespace tactus {

void Cargo::give(void* buffer, MPI_Count count, MPI_Datatype type) {
    loaded_ = true;
    buffer_ = buffer;
    count_ = count;
    type_ = type;
}

// Without a header the other side could not be understood, so the call fails, as the MPI says that it does.
void Cargo::fail() { give(own_, -1, handle.BYTE); }

// False when memory is refused; of a blocking call there is always one without room.
bool Cargo::take_parcel(std::size_t room, Mode mode, std::size_t untouched) {
    spare_ = mode == Mode::blocking;
    parcel_ = spare_ ? take_spare_parcel(room) : make_parcel(room, untouched);
    if (parcel_ == nullptr) [[unlikely]] {
        if (!spare_ || room > 0) return false;
        parcel_ = new (own_) Parcel;
    }
    parcel_->user = nullptr;
    parcel_->bytes = 0;
    parcel_->landing = nullptr;
    parcel_->parting = nullptr;
    parcel_->received = false;
    parcel_->copied = false;
    parcel_->in_place = false;
    parcel_->headed = false;
    parcel_->taken_in.reset();
    parcel_->header.send_id = no_message_yet;
    return true;
}

void Cargo::unload() {
    if (released_) return;
    if (static_cast<void*>(parcel_) == own_) return free_type(*parcel_);
    spare_ ? give_back(parcel_) : free_parcels(parcel_);
}

void Cargo::load_small(const Data& data, std::size_t bytes, Way way, Mode mode) {
    const bool dense = facts_of(data.type).dense;
    const bool fits = bytes <= INT_MAX - header_bytes; // the count of MPI_PACKED
    bool copied = carrying.copies && dense && fits && bytes <= carrying.copy_max &&
                  (way == Way::out || mode == Mode::blocking || overrun_of_truncated == 0);
    if (!take_parcel(copied ? bytes : 0, mode)) [[unlikely]] {
        copied = false;
        if (mode != Mode::blocking || !take_parcel(0, mode)) return fail();
    }
    parcel_->user = dense ? const_cast<void*>(data.buffer) : nullptr;
    parcel_->bytes = bytes;
    parcel_->copied = copied;
    if (copied) return give(&parcel_->header, static_cast<MPI_Count>(header_bytes + bytes), handle.PACKED);
    const bool calibrated = way == Way::in && mode == Mode::starting && overrun_of_truncated != 0;
    if (!calibrated) late_by(call_costs.datatype);
    parcel_->type = type_behind(&parcel_->header, data);
    if (parcel_->type == handle.DATATYPE_NULL) [[unlikely]] {
        parcel_->type = {};
        return fail();
    }
    give(&parcel_->header, 1, parcel_->type);
}

// It is needed longer than a request's by the application, or than what describes a section of a Fortran array.
void Cargo::keep_type(MPI_Datatype& type) {
    if (datatypes.predefined(type).size != 0) return;
    pmpi.Type_contiguous(1, type, &parcel_->type); // MPI_Type_dup would call back the application's attributes
    pmpi.Type_commit(&parcel_->type);
    type = parcel_->type;
}

void Cargo::load_large(const Data& data, std::uint64_t bytes, Mode mode) {
    std::vector<Piece> pieces;
    Landing landing{data, bytes, pieces};
    const bool bounced = landing.where == Landing::Where::bounced;
    if (!take_parcel(landing.space(), mode, bounced ? overrun_of_truncated : 0)) [[unlikely]]
        return fail();
    const std::size_t room = landing.bounce_bytes();
    const bool countable = room <= INT_MAX;
    if (bounced && countable && mode != Mode::blocking) keep_type(landing.data.type);
    prepare_landing(*parcel_, landing, pieces);
    if (mode != Mode::persistent) keep_front(*parcel_->landing);
    if (!bounced) return late_by(call_costs.copied_byte * static_cast<double>(carrying.lengths.longest_headed()));
    std::byte* const buffer = parcel_->landing->kept;
    if (countable) return give(buffer, static_cast<MPI_Count>(room), handle.PACKED);
    parcel_->type =
        type_behind(buffer, {buffer + header_bytes, static_cast<MPI_Count>(room - header_bytes), handle.BYTE});
    give(buffer, 1, parcel_->type);
}

void Cargo::load_in(MPI_Comm comm, const Data& data, Mode mode) {
    if (!is_sound(data, Way::in)) return;
    const std::uint64_t bytes = data.bytes();
    if (carrying.lengths.all_beside) [[unlikely]] {
        if (take_parcel(0, mode)) parcel_->in_place = true;
    } else if (bytes <= carrying.lengths.most_headed) [[likely]]
        load_small(data, bytes, Way::in, mode);
    else
        load_large(data, bytes, mode);
    if (parcel_ == nullptr) [[unlikely]]
        return;
    parcel_->comm = comm;
    parcel_->received = true;
    if (mode == Mode::starting) late_by(call_costs.begin_receive);
}

void Cargo::load_parting(Call& call, const Parting& parting, Mode mode) {
    const bool again = mode == Mode::persistent;
    if (!again && parting.only_header) return send_beside(parting, header_of_sender(call, 0));
    if (!take_parcel(again ? sizeof(Parting) + mark_bytes : mark_bytes, mode)) return fail();
    std::byte* mark = parcel_->data();
    if (again) {
        parcel_->parting = new (parcel_->data()) Parting{parting};
        mark += sizeof(Parting);
        if (!parting.only_header) keep_type(parcel_->parting->data.type);
    } else if (!send_apart(parting, header_of_sender(call, call.number_message()), mark)) {
        return fail();
    }
    if (parting.only_header) return;
    give(mark, static_cast<MPI_Count>(carrying.lengths.length_of(parting.data.bytes())), handle.PACKED);
}

void Cargo::load_out(Call& call, const Envelope& to, const Data& data, Mode mode) {
    if (!is_sound(data, Way::out)) return;
    const std::uint64_t bytes = data.bytes();
    const Form form = carrying.lengths.form_of(bytes);
    if (form == Form::bare) return;
    if (form == Form::headed) [[likely]] {
        load_small(data, bytes, Way::out, mode);
        if (parcel_ == nullptr) return;
        parcel_->comm = to.comm;
        if (mode != Mode::persistent) leave(call, mode);
        return;
    }
    Parting parting{.route = {}, .data = data, .bytes = bytes, .only_header = form == Form::beside};
    if (!find_route(to, parting.route)) return; // the MPI will say that there is none
    load_parting(call, parting, mode);
    if (parcel_ != nullptr) parcel_->comm = to.comm;
}

void Cargo::leave(Call& call, Mode mode) {
    late_by((mode == Mode::blocking ? call_costs.send : call_costs.begin_send) +
            (parcel_->copied ? call_costs.copied_byte * static_cast<double>(parcel_->bytes) : 0));
    send_off(*parcel_, header_of_sender(call, call.number_message()));
}

// From a copy, since the application's request says nothing of it any more.
void Cargo::detach(Call& call, const Envelope& to, const Data& data, Mode mode) {
    Parting parting{.route = {}, .data = data, .bytes = 0, .only_header = false};
    if (!is_sound(data, Way::out) || !is_tag(to.tag) || !find_route(to, parting.route)) return;
    parting.bytes = data.bytes();
    const Form form = carrying.lengths.form_of(parting.bytes);
    Parcel* const parcel = make_parcel(std::max<std::size_t>(parting.bytes, mark_bytes));
    if (parcel == nullptr) return fail();
    parcel->comm = to.comm;
    parcel->header = header_of_sender(call, form == Form::headed || form == Form::apart ? call.number_message() : 0);
    if (form == Form::beside) send_beside(parting, parcel->header);
    if (form == Form::apart) {
        if (!send_apart(parting, parcel->header, parcel->data())) return fail();
    } else {
        pack(data, parcel->data(), parting.bytes);
    }
    const void* const from = form == Form::headed ? static_cast<void*>(&parcel->header) : parcel->data();
    const OnePiece piece{from, carrying.lengths.length_of(parting.bytes)};
    MPI_Request request = handle.REQUEST_NULL;
    pmpi.Isend(from, piece.count(), piece.type(), to.peer, to.tag, to.comm, &request);
    detached_ = true;
    if (mode != Mode::blocking) return keep_until_done(request, parcel);
    detached_request_ = request;
    detached_parcel_ = parcel;
}

void Cargo::await_detached() {
    if (detached_parcel_ == nullptr) return;
    MPI_Status status;
    pmpi.Wait(&detached_request_, &status);
    free_parcels(std::exchange(detached_parcel_, nullptr));
}

void Cargo::name_sent(Call& call) {
    thread.named[0] = call.number();
    call.names({thread.named, 1});
}

int Cargo::take(Call& call, int rc, MPI_Status& status) {
    const Came came = take_in(parcel_, status, rc == MPI_SUCCESS ? rc : class_of(rc));
    const std::size_t copied = parcel_->copied ? parcel_->bytes : 0;
    late_by(call_costs.receive + call_costs.copied_byte * static_cast<double>(copied));
    if (came == Came::cut) [[unlikely]] {
        call.fails();
        return cut_short(parcel_->comm);
    }
    if (came != Came::headed && came != Came::beside) return rc;
    Arrivals arrivals;
    arrivals.add(parcel_->header, call.comm(), status.MPI_SOURCE);
    arrivals.settle(call);
    if (carrying.names && came == Came::headed && call.recorded()) [[unlikely]] {
        thread.named[0] = call.number();
        thread.named[1] = static_cast<std::int64_t>(parcel_->header.send_id);
        call.names(thread.named);
    }
    return rc;
}

Incoming::Incoming(const Call& call, MPI_Message message, const Data& data, Mode mode) {
    if (!carrying.on || !call.is_applications()) return;
    const PendingRequest known = messages.look(key_of(message), 0);
    if (known.parcel != nullptr) load_in(known.parcel->comm, data, mode);
}

Exchanged::Exchanged(Call& call, MPI_Comm comm, int dest, int tag, int source, const Data& data, Mode mode)
    : receives_{source != MPI_PROC_NULL} {
    const bool moves = dest != MPI_PROC_NULL || receives_;
    if (!moves || !is_carried(call, comm, receives_ ? source : dest)) return;
    load_both(call, {comm, dest, tag}, source, data, mode);
}

// A message with a header leaves in the parcel in which the other one comes. A large one is the application's buffer
// both ways.
void Exchanged::load_both(Call& call, const Envelope& to, int source, const Data& data, Mode mode) {
    if (!receives_) return load_out(call, to, data, mode);
    if (!is_sound(data, Way::both) || !is_source(to.comm, source)) return;
    load_in(to.comm, data, mode);
    if (to.peer == MPI_PROC_NULL) return;
    const Form form = carrying.lengths.form_of(data.bytes());
    const bool in_one = mode == Mode::blocking && (form == Form::headed || (form == Form::bare && !loaded_));
    if (!in_one) return detach(call, to, data, mode);
    if (form == Form::headed && parcel_ != nullptr) leave(call, mode);
}

// Our own header is still there when no message came, and an equal one when it is our own message: so only what the
// call returned tells.
int Exchanged::arrive(Call& call, int rc, MPI_Status& status) {
    await_detached();
    if (parcel_ == nullptr) return rc;
    if (carrying.names && call.recorded()) [[unlikely]]
        name_sent(call);
    if (!receives_) return rc;
    const bool came = rc == MPI_SUCCESS || (tells_truncated_length && class_of(rc) == MPI_ERR_TRUNCATE);
    if (!came && parcel_->landing == nullptr) parcel_->header.send_id = no_message_yet;
    return take(call, rc, status);
}

bool is_source(MPI_Comm comm, int source) { return source == MPI_ANY_SOURCE || comms.world_rank(comm, source) >= 0; }

bool repair_probed(const Call& call, MPI_Status& status, MPI_Comm comm) {
    if (!is_carried(call, comm, status.MPI_SOURCE)) return false;
    set_bytes(status, carrying.lengths.size_at(bytes_in(status)));
    return true;
}

} // namespace tactus
