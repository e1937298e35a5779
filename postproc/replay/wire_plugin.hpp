// The functions of libtactus-wire-openmpi.so, -mpich.so and -abi.so, which open their MPI by the names that its library
// has. `tactus finish` loads one of them when an MPI's launcher started it, and finds the functions with dlsym.
// Used by one thread.
#pragma once

#include "postproc/replay/wire.hpp"

#include <cstdint>

namespace tactus {

struct WireProcess {
    std::uint32_t process = 0;
    std::uint32_t processes = 1;
};

extern "C" {
// Opens and initializes the MPI, and fills `me`. Returns nullptr, or what went wrong; the text stays valid.
[[gnu::visibility("default")]] const char* tactus_wire_start(WireProcess* me);
// Collective. Returns the wire between the processes, which play ranks 0 to `ranks` - 1. The library owns the wire, and
// destroys it in the next tactus_wire_make or in tactus_wire_stop.
[[gnu::visibility("default")]] ReplayWire* tactus_wire_make(std::uint32_t ranks);
// Collective: finalizes the MPI.
[[gnu::visibility("default")]] void tactus_wire_stop();
}

} // namespace tactus
