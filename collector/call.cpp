// The parts of a call that are too long to stand in every wrapper. Same rules as call.hpp, except that making a
// communicator may allocate.
#include "collector/call.hpp"

#include "collector/session.hpp"

#include <cstring>

namespace tactus {

std::int32_t special_rank(int rank) {
    if (rank == MPI_ANY_SOURCE) return peer::any;
    if (rank == MPI_PROC_NULL) return peer::proc_null;
    if (rank == MPI_ROOT) return peer::root;
    return peer::none;
}

void Call::take_envelope(const MPI_Status& status) {
    Signature& what = record_->what;
    if (what.peer == peer::any) what.flags |= flag::any_source;
    if (what.tag == MPI_ANY_TAG) what.flags |= flag::any_tag;
    what.peer = rank_or_special(status.MPI_SOURCE);
    what.tag = status.MPI_TAG;
}

void Call::received(const StatusSlot& status, MPI_Datatype type) {
    take_envelope(*status);
    if (record_->what.peer == peer::proc_null) return;
    record_->what.bytes = bytes_in(*status);
    record_->what.type = datatypes.element(type).number;
}

void Call::probed(const StatusSlot& status) {
    take_envelope(*status);
    if (record_->what.peer != peer::proc_null) record_->what.bytes = bytes_in(*status);
}

void Call::exchanged(MPI_Count count, MPI_Datatype type, const StatusSlot& status) {
    moves(count, type);
    thread.words[0] = static_cast<std::int64_t>(bytes_in(*status));
    thread.words[1] = envelope_word(rank_or_special((*status).MPI_SOURCE), (*status).MPI_TAG);
    set_words({thread.words, 2});
}

void Call::starts_send(MPI_Count count, MPI_Datatype type, const MPI_Request* request) {
    moves(count, type);
    start_request({.kind = RequestKind::plain}, *request);
}

void Call::starts_receive(MPI_Datatype type, const MPI_Request* request) {
    Signature& what = record_->what;
    if (what.peer == peer::any) what.flags |= flag::any_source;
    if (what.tag == MPI_ANY_TAG) what.flags |= flag::any_tag;
    what.type = datatypes.element(type).number;
    // A receive from nobody is finished at once and shares its handle with finished sends: it must look like one of
    // them.
    start_request({.kind = what.peer == peer::proc_null ? RequestKind::plain : RequestKind::receive}, *request);
}

void Call::start_request(PendingRequest pending, MPI_Request request) {
    pending.number = request_number(lane_->number(), lane_->next_serial());
    record_->request = pending.number;
    record_->what.flags |= flag::starts;
    requests.add(request, pending);
}

void Call::completes(const PendingRequest& request, const MPI_Status& status) {
    record_->request = request.number;
    record_->what.flags |= flag::completes;
    if (request.kind != RequestKind::receive || cancelled(status)) return;
    record_->what.peer = rank_or_special(status.MPI_SOURCE);
    record_->what.tag = status.MPI_TAG;
    if (record_->what.peer != peer::proc_null) record_->what.bytes = bytes_in(status);
}

// The operation may still be under way; all we can say is that nobody will see it complete.
void Call::freed(MPI_Request before) {
    const PendingRequest request = requests.take(before, lane_->number());
    if (request.kind == RequestKind::none) return;
    record_->request = request.number;
    record_->what.flags |= flag::completes;
}

void Call::made(Function function, MPI_Comm parent, MPI_Comm comm, int tag) {
    record_->what.peer = peer::none;
    record_->what.tag = 0;
    store();
    if (comm != handle.COMM_NULL && comms.started()) note_comm(*lane_, comms.define(function, parent, comm, tag));
}

void Call::starts_comm(MPI_Comm parent, const MPI_Comm* newcomm, const MPI_Request* request) {
    if (!comms.started()) return;
    start_request({.kind = RequestKind::comm,
                   .parent = comms.number(parent),
                   .newcomm = newcomm,
                   .identity = comms.reserve_duplicate(parent)},
                  *request);
}

void Call::named(MPI_Comm comm, const char* name) {
    const std::uint32_t number = comms.number(comm);
    store();
    const std::size_t size = strnlen(name, MPI_MAX_OBJECT_NAME);
    comms.name(number, {name, size});
    std::int64_t words[(MPI_MAX_OBJECT_NAME + 7) / 8] = {};
    std::memcpy(words, name, size);
    Record record;
    record.enter = lane_->stamp();
    record.leave = lane_->stamp();
    record.what = {.bytes = size, .comm = number, .kind = Kind::naming};
    lane_->note(record, {words, (size + 7) / 8});
}

void note_comm(Lane& lane, const Comm& comm) {
    const std::vector<std::int64_t> words = to_words(comm);
    Record record;
    record.enter = lane.stamp();
    record.leave = lane.stamp();
    record.what = {.comm = comm.number, .kind = Kind::comm};
    lane.note(record, words);
}

// Unsuccessful calls of the same place in a row become one record with their number and the ticks inside them.
void Call::store_miss() {
    Record* const last = lane_->latest();
    const Ticks inside = record_->leave - record_->enter;
    const auto same = [](const Signature& a, const Signature& b) {
        return a.kind == Kind::call && a.has(flag::misses) && a.function == b.function && a.place == b.place &&
               a.comm == b.comm && a.peer == b.peer && a.tag == b.tag;
    };
    // Those before a region began must not reach into it.
    if (last != nullptr && last->enter > thread.begun && same(last->what, record_->what)) {
        last->request += 1;
        last->what.bytes += inside;
        last->leave = record_->leave;
        return;
    }
    record_->what.flags |= flag::misses;
    record_->request = 1;
    record_->what.bytes = inside;
    lane_->publish();
}

void Call::give_up() {
    if (record_ == nullptr) return;
    left(MPI_SUCCESS);
    record_->what.flags |= flag::unfinished;
    store();
}

} // namespace tactus
