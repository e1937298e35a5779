// The run on another network: ranks compute as they did, calls take no time, and whoever takes something goes on when
// it has come. On an ideal network it comes when it is given: what is lost there is lost to the program; what the real
// run took more, to the network and the MPI (the "ideal network" of POP's transfer efficiency,
// https://pop-coe.eu/node/69). One process, one thread.
#pragma once

#include "postproc/waits/run_events.hpp"

namespace tactus {

// A message of n bytes comes latency + n / bandwidth after it was sent; what a member gives to a collective of m
// members ceil(log2 m) latencies + n / bandwidth after it came, n being the block that moves between two of them.
struct Network {
    double latency_s = 0;
    double seconds_per_byte = 0; // 0: of infinite bandwidth
    [[nodiscard]] bool is_ideal() const { return latency_s == 0 && seconds_per_byte == 0; }
};

// How long the run would have taken, from the first MPI_Init that returned to the last MPI_Finalize, in units of global
// time. On an ideal network never longer than it took.
GlobalTime time_on(const Network& network, RunEvents& run);

} // namespace tactus
