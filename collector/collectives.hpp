// Functions that note what a collective moves, from its arguments. They are called after it succeeded or was started.
// They read only arguments that are significant on this rank (MPI 4.0, chapter 6). Which these are depends on
// MPI_IN_PLACE and on roots that are MPI_ROOT or MPI_PROC_NULL.
#pragma once

#include "collector/arguments.hpp"
#include "collector/call_facts.hpp"

namespace tactus {

struct Block {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype type;
};
struct Counts {
    CountArray counts;
    MPI_Datatype type;
};
struct TypedCounts {
    CountArray counts;
    TypeArray types;
};

void broadcast(Call& call, Block block, int root);
void gather(Call& call, Block sent, Block received, int root);
void scatter(Call& call, Block sent, Block received, int root);
void exchange(Call& call, Block sent, Block received);
void gatherv(Call& call, MPI_Comm comm, Block sent, Counts received, int root);
void scatterv(Call& call, MPI_Comm comm, Counts sent, Block received, int root);
void allgatherv(Call& call, MPI_Comm comm, Block sent, Counts received);
void alltoallv(Call& call, MPI_Comm comm, const void* sendbuf, Counts sent, Counts received);
void alltoallw(Call& call, MPI_Comm comm, const void* sendbuf, TypedCounts sent, TypedCounts received);
void reduce_scatter(Call& call, MPI_Comm comm, Counts received);
// These have a count for each neighbor in the communicator's topology.
void neighbor_allgatherv(Call& call, MPI_Comm comm, Block sent, Counts received);
void neighbor_alltoallv(Call& call, MPI_Comm comm, Counts sent, Counts received);
void neighbor_alltoallw(Call& call, MPI_Comm comm, TypedCounts sent, TypedCounts received);

} // namespace tactus
