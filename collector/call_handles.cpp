#include "collector/call_handles.hpp"

#include "trace/words.hpp"

#include <algorithm>
#include <vector>

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

void define_comm(Call& call, Function function, MPI_Comm parent, MPI_Comm comm, int tag) {
    call.record().what.peer = peer::none;
    call.record().what.tag = 0;
    const bool known = comm == handle.COMM_NULL || (function == Function::Comm_get_parent && comms.number(comm) != 0);
    call.store();
    if (!known && comms.started()) note_comm(call.lane(), comms.define(function, parent, comm, tag));
}

void name_comm(Call& call, MPI_Comm comm, std::string_view name) {
    const std::uint32_t number = comms.number(comm);
    call.store();
    name = name.substr(0, MPI_MAX_OBJECT_NAME);
    comms.name(number, name);
    std::vector<std::int64_t> words;
    append_text(words, name);
    note(call.lane(), {.bytes = name.size(), .comm = number, .kind = Kind::comm_name}, words);
}

void define_object(Call& call, Function function, SharedObjects& objects, Kind kind, std::uint64_t key, MPI_Comm comm,
                   std::string_view name) {
    const std::uint32_t number = call.record().what.comm;
    call.store();
    const SharedObject object = objects.define(function, key, number, comms.identity(comm), name);
    note(call.lane(), {.comm = number, .tag = static_cast<std::int32_t>(object.number), .kind = kind},
         to_words(object));
}

void note_group(Call& call, MPI_Group group) {
    if (!comms.started()) return;
    std::vector<std::int64_t> runs;
    append_runs(runs, runs_of(comms.world_ranks(group)));
    std::int64_t* const words = call.room_for_words(runs.size());
    if (words == nullptr) return;
    std::copy(runs.begin(), runs.end(), words);
    call.set_words({words, runs.size()});
}

void note_fence(Call& call, int assertion) {
    std::int64_t* const words = call.room_for_words(1);
    words[0] = 0;
    if ((assertion & MPI_MODE_NOSTORE) != 0) words[0] |= fence::no_store;
    if ((assertion & MPI_MODE_NOPUT) != 0) words[0] |= fence::no_put;
    if ((assertion & MPI_MODE_NOPRECEDE) != 0) words[0] |= fence::no_precede;
    if ((assertion & MPI_MODE_NOSUCCEED) != 0) words[0] |= fence::no_succeed;
    call.set_words({words, 1});
}

} // namespace tactus
