#include "collector/call_facts.hpp"

#include "mpi_kind.hpp"

namespace tactus {
namespace {

void note_wildcards(Signature& what) {
    if (what.peer == peer::any) what.flags |= flag::any_source;
    if (what.tag == MPI_ANY_TAG) what.flags |= flag::any_tag;
}

void resolve_wildcards(Signature& what, const MPI_Status& status) {
    note_wildcards(what);
    what.peer = rank_or_special(status.MPI_SOURCE);
    what.tag = status.MPI_TAG;
}

} // namespace

void note_received(Call& call, const StatusSlot& status, MPI_Datatype type) {
    Signature& what = call.record().what;
    resolve_wildcards(what, *status);
    if (what.peer == peer::proc_null) return;
    what.bytes = bytes_in(*status);
    what.type = datatypes.number(type);
}

void note_probed(Call& call, const StatusSlot& status) {
    Signature& what = call.record().what;
    resolve_wildcards(what, *status);
    if (what.peer != peer::proc_null) what.bytes = bytes_in(*status);
}

void note_exchanged(Call& call, MPI_Count count, MPI_Datatype type, const StatusSlot& status) {
    note_moved(call, count, type);
    std::int64_t* const words = call.room_for_words(2);
    words[0] = static_cast<std::int64_t>(bytes_in(*status));
    words[1] = envelope_word(rank_or_special((*status).MPI_SOURCE), (*status).MPI_TAG);
    call.set_words({words, 2});
}

void note_transferred(Call& call, const StatusSlot& status, MPI_Datatype type) {
    Signature& what = call.record().what;
    what.bytes = bytes_in(*status);
    what.type = datatypes.number(type);
}

void note_posted(Call& call, MPI_Datatype type) {
    Signature& what = call.record().what;
    note_wildcards(what);
    if (what.peer != peer::proc_null) what.type = datatypes.number(type);
}

} // namespace tactus
