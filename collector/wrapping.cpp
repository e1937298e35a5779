// What the wrappers of single functions need from the session.
#include "collector/wrapping.hpp"

#include "trace/run_ends.hpp"

namespace tactus {
namespace {

// For a program whose recording began on a communicator made from a session.
void define_world(Call& call) {
    session->report_use_after_end();
    if (!session->live()) return;
    for (const Comm& comm : comms.define_world()) note_comm(call.lane(), comm);
}

} // namespace

void initialized(Call& call) {
    if (thread.depth != 1 || session == nullptr) return;
    call.store();
    session->is_of_sessions() ? define_world(call) : session->start(handle.COMM_WORLD);
}

void profiling_level(int level) {
    if (session != nullptr && session->live() && (level == 0 || level == 1)) set_tracing(level == 1);
}

const Options* options_of_run() { return session != nullptr ? &session->options() : nullptr; }

// The recording may begin here, even where this call could not be recorded.
void made_from_group(Call& call, MPI_Comm comm) {
    const bool is_recorded = call.good(MPI_SUCCESS);
    const bool begins = thread.depth == 1 && session != nullptr && !session->begun() && session->takes_as_world(comm);
    if (is_recorded) call.record().what.tag = begins ? tag_of_beginning : 0;
    call.store();
    if (begins) session->start_from_group();
    if (is_recorded && session->live())
        note_comm(call.lane(), comms.define(Function::Comm_create_from_group, handle.COMM_NULL, comm, 0));
}

void mpi_session_begins() {
    if (thread.depth != 1 || session == nullptr) return;
    session->begin_mpi_session();
    requests.use_lock(true);
    matched_messages.use_lock(true);
}

void mpi_session_ends() {
    if (thread.depth == 1 && session != nullptr) session->end_mpi_session();
}

} // namespace tactus
