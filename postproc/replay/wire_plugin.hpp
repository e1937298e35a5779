// What `tactus finish` loads when an MPI's launcher started it: libtactus-wire-openmpi.so or libtactus-wire-mpich.so,
// linked with that MPI. The names are looked up with dlsym; one thread.
#pragma once

#include "postproc/replay/wire.hpp"

#include <cstdint>

namespace tactus {

struct WireProcess {
    std::uint32_t process = 0;
    std::uint32_t processes = 1;
};

extern "C" {
// Initializes the MPI; false: it would not.
[[gnu::visibility("default")]] bool tactus_wire_start(WireProcess* me);
// Collective. The wire of all processes that play ranks 0 to `ranks` - 1; lives until tactus_wire_stop.
[[gnu::visibility("default")]] ReplayWire* tactus_wire_make(std::uint32_t ranks);
// Collective: finalizes the MPI.
[[gnu::visibility("default")]] void tactus_wire_stop();
}

} // namespace tactus
