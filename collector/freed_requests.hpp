// Requests that the application frees while their message is under way: the MPI may still read or write the message
// buffer, so the piggyback keeps the request until it is complete. Any thread.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/ticks.hpp"
#include "collector/process_state.hpp"

namespace tactus {

class OpenCall;

class FreedRequest {
  public:
    // Keeps the request, which the application frees, if it was begun and not completed, with a message buffer.
    FreedRequest(const OpenCall& call, MPI_Request request);
    [[nodiscard]] bool is_kept() const { return kept_; }
    [[nodiscard]] Ticks since() const { return since_; } // see Requests::take()
    // For MPI_Request_free: the application's own, or, of a kept one, another that needs nothing more; the
    // application's is then null.
    MPI_Request* given(MPI_Request* own);
    MPI_Fint* fortran_given(MPI_Fint* own);

  private:
    Ticks since_ = 0;
    bool kept_;
    MPI_Request nothing_;
    MPI_Fint fortran_nothing_ = 0;
};

// After any call of the application while there are freed_receives: it may have told that such a message has come.
void look_for_freed_receives();

// In MPI_Finalize, after the application's last call. Persistent requests that it did not free are freed, for they hold
// datatypes of ours.
void free_what_requests_hold();

} // namespace tactus
