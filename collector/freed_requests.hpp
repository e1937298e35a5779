// Requests that the application frees while their message is under way. The MPI may still read or write the message
// buffer, so the piggyback keeps the request until it is complete. Any thread may call this.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "base/ticks.hpp"
#include "collector/process_state.hpp"

namespace tactus {

class OpenCall;

class FreedRequest {
  public:
    // Keeps the request, which the application is about to free, if it has a message buffer and is started but not
    // complete.
    FreedRequest(const OpenCall& call, MPI_Request request);
    [[nodiscard]] bool is_kept() const { return kept_; }
    [[nodiscard]] Ticks since() const { return since_; } // see Requests::take()
    // The argument for MPI_Request_free: the application's request, or, when that is kept, a request of tactus that
    // nobody needs. The application's request is then set to MPI_REQUEST_NULL.
    MPI_Request* given(MPI_Request* own);
    MPI_Fint* fortran_given(MPI_Fint* own);

  private:
    Ticks since_ = 0;
    bool kept_;
    MPI_Request nothing_;
    MPI_Fint fortran_nothing_ = 0;
};

// Called after each call of the application while `freed_receives` is set: the call may have told the application that
// the message of a freed receive has arrived.
void look_for_freed_receives();

// Called in MPI_Finalize, after the application's last call. Frees the persistent requests that the application did not
// free, because they hold datatypes of tactus.
void free_what_requests_hold();

} // namespace tactus
