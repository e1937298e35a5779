// Requests that nobody else waits for, with the message buffers that the MPI may still read or write: of messages that
// the piggyback sent itself, and of those that the application freed while they were under way. Each is kept until it
// is complete. Any thread.
#pragma once

#include "base/mpi/mpi_functions.hpp"

namespace tactus {

struct MessageBuffer;

// Takes both. False when memory is refused: the MPI may then use the buffer for good, so it must not be freed.
bool keep_until_done(MPI_Request request, MessageBuffer* message_buffer);

// After a call that may have told the application that such a message has come: its data is then where it belongs. The
// host calls it when it was asked to by look_after_calls().
void look_at_kept_requests();

// Before MPI_Comm_disconnect, where that waits for requests to be freed: until those on this communicator are complete.
void await_kept_requests(MPI_Comm comm);

// In MPI_Finalize, after the application's last call: what is complete is given back, the rest is the MPI's.
void give_up_kept_requests();

} // namespace tactus
