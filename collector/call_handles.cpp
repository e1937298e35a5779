// Handles that a call made or named: their definitions follow its record in the lane.
#include "collector/call.hpp"
#include "collector/session.hpp"

#include <algorithm>

namespace tactus {
namespace {

void note(Lane& lane, const Signature& what, std::span<const std::int64_t> words) {
    Record record;
    record.enter = lane.stamp();
    record.leave = lane.stamp();
    record.what = what;
    lane.note(record, words);
}

} // namespace

void note_comm(Lane& lane, const Comm& comm) { note(lane, {.comm = comm.number, .kind = Kind::comm}, to_words(comm)); }

void Call::made(Function function, MPI_Comm parent, MPI_Comm comm, int tag) {
    record_->what.peer = peer::none;
    record_->what.tag = 0;
    const bool known = comm == handle.COMM_NULL || (function == Function::Comm_get_parent && comms.number(comm) != 0);
    store();
    if (!known && comms.started()) note_comm(lane(), comms.define(function, parent, comm, tag));
}

void Call::named(MPI_Comm comm, std::string_view name) {
    const std::uint32_t number = comms.number(comm);
    store();
    name = name.substr(0, MPI_MAX_OBJECT_NAME);
    comms.name(number, name);
    std::vector<std::int64_t> words;
    append_text(words, name);
    note(lane(), {.bytes = name.size(), .comm = number, .kind = Kind::comm_name}, words);
}

void Call::made(Function function, SharedObjects& objects, Kind kind, std::uint64_t key, MPI_Comm comm,
                std::string_view name) {
    const std::uint32_t comm_number = record_->what.comm;
    store();
    const SharedObject object = objects.define(function, key, comm_number, comms.identity(comm), name);
    note(lane(), {.comm = comm_number, .tag = static_cast<std::int32_t>(object.number), .kind = kind},
         to_words(object));
}

// The world ranks of a group as the call's words.
void Call::names_group(MPI_Group group) {
    if (!comms.started()) return;
    std::vector<std::int64_t> words;
    append_runs(words, runs_of(comms.world_ranks(group)));
    auto* const copy = static_cast<std::int64_t*>(room(words.size() * sizeof words[0]));
    if (copy == nullptr) return;
    std::copy(words.begin(), words.end(), copy);
    set_words({copy, words.size()});
}

void Call::asserts(int assertion) {
    std::int64_t bits = 0;
    if ((assertion & MPI_MODE_NOSTORE) != 0) bits |= fence::no_store;
    if ((assertion & MPI_MODE_NOPUT) != 0) bits |= fence::no_put;
    if ((assertion & MPI_MODE_NOPRECEDE) != 0) bits |= fence::no_precede;
    if ((assertion & MPI_MODE_NOSUCCEED) != 0) bits |= fence::no_succeed;
    own_words_[0] = bits;
    set_words({own_words_, 1});
}

} // namespace tactus
