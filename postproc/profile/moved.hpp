// Computes how many bytes a call moved out of its rank and into it. Pure.
//
// The rule is as follows. `block` is the number of bytes in the record. P is the number of ranks on the other side: the
// size of the communicator minus 1, or the size of the remote group of an intercommunicator.
//
//   sends                    sent: the message
//   receives                 received: the message; MPI_Irecv 0, since its completion counts it; probes 0
//   MPI_Start, MPI_Startall  as the calls that prepared the requests; v and w collectives count nothing, since their
//                            vectors are in the records of those calls
//   MPI_Wait*, MPI_Test*     received: the receives they completed
//   MPI_Bcast, MPI_Scatter   root: sent block x P; the others: received block
//   MPI_Gather               root: received block x P; the others: sent block
//   MPI_Reduce               root: received block (the result); the others: sent block (their contribution)
//   MPI_Allreduce, scans     sent block, received block
//   MPI_Allgather            sent block, received block x P
//   MPI_Alltoall             sent and received block x P
//   MPI_Reduce_scatter*      sent: the parts of all other ranks; received: its own part
//   the v and w forms        the same by their vectors of bytes, without a rank's part for itself
//   MPI_Neighbor_*           sent block x destinations, received block x sources; v and w: by their vectors
//   MPI_Put, MPI_Accumulate  sent; MPI_Get: received; MPI_Get_accumulate and other fetching calls: both
//   MPI_File_write*, _read*  sent to the file, received from the file
//
// Non-blocking collectives count in the call that starts them, and persistent operations in MPI_Start.
//
// Calls that failed, that addressed MPI_PROC_NULL, or that had nobody on the other side moved nothing.
#pragma once

#include "trace/definitions.hpp"
#include "trace/record.hpp"
#include "trace/words.hpp"

#include <cstdint>
#include <functional>

namespace tactus {

struct Moved {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

// Finds a communicator by its number. It may return nullptr; then a collective counts its block once.
using CommOf = std::function<const Comm*(std::uint32_t number)>;
Moved bytes_moved(const Record& record, Words words, const CommOf& comm_of);

} // namespace tactus
