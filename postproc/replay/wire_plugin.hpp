// The functions of libtactus-wire-openmpi.so and libtactus-wire-mpich.so, which are linked with their MPI. `tactus
// finish` loads one of them when an MPI's launcher started it, and finds the functions with dlsym. Used by one thread.
#pragma once

#include "postproc/replay/wire.hpp"

#include <cstdint>

namespace tactus {

struct WireProcess {
    std::uint32_t process = 0;
    std::uint32_t processes = 1;
};

extern "C" {
// Initializes the MPI, and fills `me`. False: the MPI could not be initialized.
[[gnu::visibility("default")]] bool tactus_wire_start(WireProcess* me);
// Collective. Returns the wire between the processes, which play ranks 0 to `ranks` - 1. The library owns the wire, and
// destroys it in the next tactus_wire_make or in tactus_wire_stop.
[[gnu::visibility("default")]] ReplayWire* tactus_wire_make(std::uint32_t ranks);
// Collective: finalizes the MPI.
[[gnu::visibility("default")]] void tactus_wire_stop();
}

} // namespace tactus
