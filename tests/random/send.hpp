/* Starts one message in any of the ways that MPI has. */
#pragma once
#include "message_group.hpp"
#include "requests.hpp"

struct Envelope {
    MPI_Comm comm;
    int dest, tag;
    Mode mode;
    int signature, granule, units;
    std::uint64_t key;
    int may_wait_from; // position in the plan
    bool to_oneself;   // in this case MPICH aborts with MPI_PACKED, and loses a message whose request is freed
};

void start_send(const Envelope& envelope, bool may_block, Pool& pool);
int bytes_to_buffer(const Envelope& envelope);

/* Buffers of sends that nobody waits for. They are freed when all ranks are done. */
inline std::vector<std::shared_ptr<Area>> unwatched;
