// How the collector notices the end of a run. In MPI_Finalize, the delete callback of an attribute on MPI_COMM_SELF
// runs after the application's callbacks, while MPI still works. An exit without MPI_Finalize runs a destructor of this
// library. MPI_Abort has a wrapper, and signals.cpp handles signals.
#include "collector/freed_requests.hpp"
#include "collector/session.hpp"
#include "piggyback/mpi/policy.hpp"
#include "piggyback/mpi/side_message.hpp"

namespace tactus {
namespace {

int not_inherited(MPI_Comm, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

int at_finalize(MPI_Comm, int, void*, void*) {
    if (session != nullptr) end_run();
    return MPI_SUCCESS;
}

} // namespace

void end_run() {
    clocks_are_periodic = false;
    drop_side_messages(); // receiving them completes sends of tactus
    free_what_requests_hold();
    piggyback_policy.on = piggyback_policy.collectives = false; // the application's last message has arrived
    session->close(Ending::finalize);
    session->finish();
}

// The attribute is set right after MPI_Init, so it is deleted last (MPI 4.0, 11.2.4: in the reverse order).
void watch_finalize() {
    int key = MPI_KEYVAL_INVALID;
    if (pmpi.Comm_create_keyval(not_inherited, at_finalize, &key, nullptr) == MPI_SUCCESS)
        pmpi.Comm_set_attr(handle.COMM_SELF, key, nullptr);
}

} // namespace tactus

extern "C" {

// For programs that exit without MPI_Finalize. It does nothing when the run was closed or never started.
[[gnu::destructor]] static void at_exit() {
    using tactus::session;
    if (session == nullptr) return;
    session->close(tactus::Ending::exit);
    session->explain_missing_trace();
}

} // extern "C"
