// Requests that nobody else waits for, with the message buffers that the MPI may still read or write. They belong to
// messages that the piggyback sent itself, or the application freed them while their messages were under way. Each is
// kept until it is complete. Any thread may call these functions.
#pragma once

#include "base/mpi/mpi_functions.hpp"

namespace tactus {

struct MessageBuffer;

// Takes ownership of both. Returns false when memory is refused. The MPI may then use the buffer at any time later, so
// it must never be freed.
bool keep_until_done(MPI_Request request, MessageBuffer* message_buffer);

// Delivers the messages of requests that are complete. The host calls it, when look_after_calls() asked for it, after
// each call that may have told the application that such a message has arrived.
void look_at_kept_requests();

// Called before MPI_Comm_disconnect. On an MPI whose MPI_Comm_disconnect waits for requests to be freed, this waits
// until the requests on `comm` are complete.
void await_kept_requests(MPI_Comm comm);

// Called in MPI_Finalize after the application's last call. Frees what is complete and leaves the rest to the MPI.
void give_up_kept_requests();

} // namespace tactus
