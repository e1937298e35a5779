/* Starting one message, in any of the ways MPI has. */
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
    bool to_oneself;   // where MPICH aborts at MPI_PACKED and loses a message whose request is freed
};

void start_send(const Envelope& envelope, bool may_block, Pool& pool);
int bytes_to_buffer(const Envelope& envelope);

/* Buffers of sends that nobody will wait for; emptied when all ranks are done. */
inline std::vector<std::shared_ptr<Area>> unwatched;
