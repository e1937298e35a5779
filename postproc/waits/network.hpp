// Replays the run on another network: ranks compute as they did, calls take no time, and a rank that takes something
// goes on when it has arrived. On an ideal network it arrives when it is given, so the time that is lost there is lost
// by the program. What the real run took beyond that is lost by the network and the MPI. (This is the "ideal network"
// of POP's transfer efficiency, https://pop-coe.eu/node/69.) One process, one thread.
#pragma once

#include "postproc/waits/run_events.hpp"

namespace tactus {

// A message of n bytes arrives latency + n / bandwidth after it was sent. What a member gives to a collective of m
// members arrives ceil(log2 m) latencies + n / bandwidth after that member came, where n is the size of the block that
// moves between two members.
struct Network {
    double latency_s = 0;
    double seconds_per_byte = 0; // 0: infinite bandwidth
    [[nodiscard]] bool is_ideal() const { return latency_s == 0 && seconds_per_byte == 0; }
};

// How long the run would have taken, from the first MPI_Init that returned to the last MPI_Finalize, in units of global
// time. On an ideal network that is never longer than the run took.
GlobalTime time_on(const Network& network, RunEvents& run);

} // namespace tactus
