// The run on a network on which nothing takes any time: ranks compute as they did, and wait for each other. What is
// lost there is lost to the program; what the real run took more, to the network and the MPI (the "ideal network" of
// POP's transfer efficiency, https://pop-coe.eu/node/69). One process, one thread.
#pragma once

#include "trace/rank_file.hpp"

#include <optional>

namespace tactus {

// How long the run would have taken, from the first MPI_Init that returned to the last MPI_Finalize, in units of global
// time; never longer than it took. Nothing where there was no room for the events, which lie in the trace's folder.
std::optional<GlobalTime> ideal_time(const Trace& trace);

} // namespace tactus
