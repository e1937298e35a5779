// What the piggyback needs of its host, the library that wraps the MPI's functions: the facts below, four functions,
// and of each call an OpenCall (trace/open_call.hpp).
#pragma once

#include "base/mpi/known_comms.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "piggyback/online_clock.hpp"

#include <atomic>
#include <cstdint>

namespace tactus {

// Filled by the host in MPI_Init, before the first message that is carried.
struct PiggybackHost {
    MPI_Comm comm{};           // the host's own, of all ranks, with MPI_ERRORS_RETURN
    std::int32_t rank = 0;     // in MPI_COMM_WORLD
    std::int32_t ranks = 1;    // of MPI_COMM_WORLD
    bool notes_delays = false; // calls are to say how messages changed their thread's delay
    // Renewed by each round of measurements; nullptr: messages carry nothing, or there is no fit. Pairs release with
    // acquire.
    std::atomic<const OnlineClock*> clock{nullptr};

    [[nodiscard]] const OnlineClock* clock_now() const { return clock.load(std::memory_order_acquire); } // hot
};
extern constinit PiggybackHost piggyback_host;

// --- Implemented by the host. Any thread.

// The rank in MPI_COMM_WORLD of the one that messages to `rank` on that communicator go to; -1: it has none, or there
// is no such rank.
std::int32_t world_rank(MPI_Comm comm, int rank);
// What KnownComms should say of a communicator that it does not know.
std::uint64_t look_into(MPI_Comm comm);
// Whether look_at_kept_requests() (kept_requests.hpp) is to be called after each call of the application.
void look_after_calls(bool wanted);

// --- Here.

// Whether all processes of a communicator are in MPI_COMM_WORLD, also of one that was made out of the host's sight;
// false for MPI_COMM_NULL and for one that was freed. hot
inline bool is_closed(MPI_Comm comm) {
    std::uint64_t known = known_comms.find(comm);
    if (known == 0) [[unlikely]]
        known = look_into(comm);
    return (known & KnownComms::closed) != 0;
}

} // namespace tactus
