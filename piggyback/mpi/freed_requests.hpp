// Requests that the application freed while their message was under way, and those of messages that we sent for it: the
// MPI may still read or write the message_buffer, so the request is kept until it is complete. Any thread.
#pragma once

#include "base/ticks.hpp"
#include "collector/mpi_functions.hpp"

#include <atomic>

namespace tactus {

class Call;
struct MessageBuffer;

class FreedRequest {
  public:
    // Keeps the request, which the application frees, if it was begun and not completed, with a message_buffer.
    FreedRequest(const Call& call, MPI_Request request);
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

// Some of them are receives whose data is still to be copied to where it belongs. hot
extern constinit std::atomic<bool> freed_receives;
// Behind any call of the application, which may have told it that such a message has come.
void look_for_freed_receives();

// Takes both.
void keep_until_done(MPI_Request request, MessageBuffer* message_buffer);

// Before MPI_Comm_disconnect, where that waits for requests to be freed: until those on this communicator are complete.
void await_freed_requests(MPI_Comm comm);

// In MPI_Finalize, behind the application's last call: what is complete is given back, the rest is the MPI's.
// Persistent requests that the application did not free are freed, for they hold datatypes of ours.
void reap_all_freed_requests();

} // namespace tactus
