/* The calls themselves. The non-blocking variant takes the same arguments and a request. */
#include "transfer.hpp"

void Transfer::call_rooted(auto issue) {
    const MPI_Comm comm = comm_.handle;
    const int root = root_argument();
    switch (plan_.kind) {
    case Collective::bcast:
        return issue(MPI_Bcast, MPI_Ibcast, sends_ ? out() : in(), sends_ ? out_count() : in_count(),
                     sends_ ? out_type() : in_type(), root, comm);
    case Collective::gather:
        return issue(MPI_Gather, MPI_Igather, out(), out_count(), out_type(), in(), in_count(), in_type(), root, comm);
    case Collective::gatherv:
        return issue(MPI_Gatherv, MPI_Igatherv, out(), out_count(), out_type(), in(), receive_.counts(),
                     receive_.displacements(), in_type(), root, comm);
    case Collective::scatter:
        return issue(MPI_Scatter, MPI_Iscatter, out(), out_count(), out_type(), in(), in_count(), in_type(), root,
                     comm);
    default:
        return issue(MPI_Scatterv, MPI_Iscatterv, out(), send_.counts(), send_.displacements(), out_type(), in(),
                     in_count(), in_type(), root, comm);
    }
}

void Transfer::call_everybody(auto issue) {
    const MPI_Comm comm = comm_.handle;
    switch (plan_.kind) {
    case Collective::barrier:
        return issue(MPI_Barrier, MPI_Ibarrier, comm);
    case Collective::allgather:
        return issue(MPI_Allgather, MPI_Iallgather, out(), out_count(), out_type(), in(), in_count(), in_type(), comm);
    case Collective::allgatherv:
        return issue(MPI_Allgatherv, MPI_Iallgatherv, out(), out_count(), out_type(), in(), receive_.counts(),
                     receive_.displacements(), in_type(), comm);
    case Collective::alltoall:
        return issue(MPI_Alltoall, MPI_Ialltoall, out(), out_count(), out_type(), in(), in_count(), in_type(), comm);
    case Collective::alltoallv:
        return issue(MPI_Alltoallv, MPI_Ialltoallv, out(), send_.counts(), send_.displacements(), out_type(), in(),
                     receive_.counts(), receive_.displacements(), in_type(), comm);
    default:
        return issue(MPI_Alltoallw, MPI_Ialltoallw, out(), send_.counts(), send_.byte_displacements(), send_.types(),
                     in(), receive_.counts(), receive_.byte_displacements(), receive_.types(), comm);
    }
}

void Transfer::call_neighbors(auto issue) {
    const MPI_Comm comm = comm_.handle;
    switch (plan_.kind) {
    case Collective::neighbor_allgather:
        return issue(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, out(), out_count(), out_type(), in(), in_count(),
                     in_type(), comm);
    case Collective::neighbor_allgatherv:
        return issue(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, out(), out_count(), out_type(), in(),
                     receive_.counts(), receive_.displacements(), in_type(), comm);
    case Collective::neighbor_alltoall:
        return issue(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, out(), out_count(), out_type(), in(), in_count(),
                     in_type(), comm);
    case Collective::neighbor_alltoallv:
        return issue(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, out(), send_.counts(), send_.displacements(),
                     out_type(), in(), receive_.counts(), receive_.displacements(), in_type(), comm);
    default:
        return issue(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, out(), send_.counts(),
                     send_.address_displacements(), send_.types(), in(), receive_.counts(),
                     receive_.address_displacements(), receive_.types(), comm);
    }
}

void Transfer::call(MPI_Request* request) {
    auto issue = [request](auto blocking, auto starting, auto... arguments) {
        must(request == nullptr ? blocking(arguments...) : starting(arguments..., request));
    };
    if (is_rooted(plan_.kind))
        call_rooted(issue);
    else if (is_neighbor(plan_.kind))
        call_neighbors(issue);
    else
        call_everybody(issue);
}
