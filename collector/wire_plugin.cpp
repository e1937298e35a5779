#include "postproc/replay/wire_plugin.hpp"

#include "collector/replay_wire.hpp"
#include "mpi_kind.hpp"

#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <memory>

namespace tactus {

namespace {

// The functions that this and MpiReplayWire call.
constexpr struct {
    const char* name;
    void* place;
} needed_functions[] = {{"MPI_Comm_rank", &pmpi.Comm_rank},
                        {"MPI_Comm_size", &pmpi.Comm_size},
                        {"MPI_Finalize", &pmpi.Finalize},
                        {"MPI_Get_count", &pmpi.Get_count},
                        {"MPI_Get_version", &pmpi.Get_version},
                        {"MPI_Iallreduce", &pmpi.Iallreduce},
                        {"MPI_Ialltoall", &pmpi.Ialltoall},
                        {"MPI_Improbe", &pmpi.Improbe},
                        {"MPI_Init", &pmpi.Init},
                        {"MPI_Irecv", &pmpi.Irecv},
                        {"MPI_Isend", &pmpi.Isend},
                        {"MPI_Mrecv", &pmpi.Mrecv},
                        {"MPI_Test", &pmpi.Test}};

WireProcess self;
std::unique_ptr<MpiReplayWire> made;

// Returns nullptr, or why the MPI cannot be used.
const char* open_mpi() {
    constexpr const char* lacking = "its library is too old or too new for this tactus";
    void* library = nullptr;
    for (const char* soname : sonames)
        if (library == nullptr) library = dlopen(soname, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return dlerror();
    for (const auto& needed : needed_functions) {
        void* const function = find_function(library, needed.name);
        if (function == nullptr) return lacking;
        std::memcpy(needed.place, static_cast<const void*>(&function), sizeof function);
    }
    return find_handles(library) == nullptr ? nullptr : lacking;
}

} // namespace

const char* tactus_wire_start(WireProcess* me) {
    if (const char* const problem = open_mpi(); problem != nullptr) return problem;
    if (pmpi.Init(nullptr, nullptr) != MPI_SUCCESS) return "it could not be initialized";
    int process = 0;
    int processes = 1;
    pmpi.Comm_rank(handle.COMM_WORLD, &process);
    pmpi.Comm_size(handle.COMM_WORLD, &processes);
    *me = self = {static_cast<std::uint32_t>(process), static_cast<std::uint32_t>(processes)};
    return nullptr;
}

ReplayWire* tactus_wire_make(std::uint32_t ranks) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    if (made != nullptr) made->settle();
    made = std::make_unique<MpiReplayWire>(handle.COMM_WORLD, self.process, Seats{self.processes, ranks}, never, never);
    return made.get();
}

void tactus_wire_stop() {
    if (made != nullptr) made->settle();
    made.reset();
    pmpi.Finalize();
}

} // namespace tactus
