// Where the ends of a run reach us: MPI_Finalize, in the delete callback of an attribute on MPI_COMM_SELF, which runs
// inside it after the application's own callbacks, with MPI still working; and exit without it. MPI_Abort has a
// wrapper, signals have signals.cpp.
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
    if (session == nullptr) return MPI_SUCCESS;
    clocks_are_periodic = false;
    drop_side_messages(); // what is left of our own is sent by that
    free_what_requests_hold();
    piggyback_policy.on = piggyback_policy.collectives = false; // the application's last message has come
    session->close(Ending::finalize);
    session->finish();
    return MPI_SUCCESS;
}

} // namespace

// Set right after MPI_Init, so that it is deleted last (MPI 4.0, 11.2.4: in the reverse order).
void watch_finalize() {
    int key = MPI_KEYVAL_INVALID;
    if (pmpi.Comm_create_keyval(not_inherited, at_finalize, &key, nullptr) == MPI_SUCCESS)
        pmpi.Comm_set_attr(handle.COMM_SELF, key, nullptr);
}

} // namespace tactus

extern "C" {

// The net under programs that exit without MPI_Finalize. It does nothing when the run was closed, or never started.
[[gnu::destructor]] static void at_exit() {
    using tactus::session;
    if (session == nullptr) return;
    session->close(tactus::Ending::exit);
    session->explain_missing_trace();
}

} // extern "C"
