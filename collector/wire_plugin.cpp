#include "postproc/replay/wire_plugin.hpp"

#include "collector/replay_wire.hpp"

#include <limits>
#include <memory>

namespace tactus {

namespace {

WireProcess self;
std::unique_ptr<MpiReplayWire> made;

void use_linked_mpi() {
    pmpi.Get_count = PMPI_Get_count;
    pmpi.Iallreduce = PMPI_Iallreduce;
    pmpi.Ialltoall = PMPI_Ialltoall;
    pmpi.Improbe = PMPI_Improbe;
    pmpi.Irecv = PMPI_Irecv;
    pmpi.Isend = PMPI_Isend;
    pmpi.Mrecv = PMPI_Mrecv;
    pmpi.Test = PMPI_Test;
    handle.BYTE = MPI_BYTE;
    handle.INT64_T = MPI_INT64_T;
    handle.UINT64_T = MPI_UINT64_T;
    handle.MAX = MPI_MAX;
    handle.SUM = MPI_SUM;
    handle.REQUEST_NULL = MPI_REQUEST_NULL;
}

} // namespace

bool tactus_wire_start(WireProcess* me) {
    if (PMPI_Init(nullptr, nullptr) != MPI_SUCCESS) return false;
    use_linked_mpi();
    int process = 0;
    int processes = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &process);
    PMPI_Comm_size(MPI_COMM_WORLD, &processes);
    *me = self = {static_cast<std::uint32_t>(process), static_cast<std::uint32_t>(processes)};
    return true;
}

ReplayWire* tactus_wire_make(std::uint32_t ranks) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    if (made != nullptr) made->settle();
    made = std::make_unique<MpiReplayWire>(MPI_COMM_WORLD, self.process, Seats{self.processes, ranks}, never, never);
    return made.get();
}

void tactus_wire_stop() {
    if (made != nullptr) made->settle();
    made.reset();
    PMPI_Finalize();
}

} // namespace tactus
