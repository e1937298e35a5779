// What the piggyback needs from its host, the library that wraps the MPI's functions: the facts and functions below,
// and an OpenCall (trace/open_call.hpp) for each call.
#pragma once

#include "base/mpi/known_comms.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "piggyback/online_clock.hpp"

#include <atomic>
#include <cstdint>

namespace tactus {

// The host fills it in MPI_Init, before the first message with a header.
struct PiggybackHost {
    MPI_Comm comm{};           // the host's own communicator of all ranks, with MPI_ERRORS_RETURN
    std::int32_t rank = 0;     // in MPI_COMM_WORLD
    std::int32_t ranks = 1;    // size of MPI_COMM_WORLD
    bool notes_delays = false; // calls record how messages changed their thread's delay
    // Each round of measurements stores a new clock. It is nullptr when messages have no headers, or before there is a
    // fit. The host stores it with release, which pairs with the acquire in clock_now().
    std::atomic<const OnlineClock*> clock{nullptr};

    [[nodiscard]] const OnlineClock* clock_now() const { return clock.load(std::memory_order_acquire); } // hot
};
extern constinit PiggybackHost piggyback_host;

// --- The host implements these. Any thread may call them.

// Returns the rank in MPI_COMM_WORLD of the process that receives messages to `rank` on `comm`. Returns -1 when there
// is no such rank, or when the process is not in MPI_COMM_WORLD.
std::int32_t world_rank(MPI_Comm comm, int rank);
// Returns the value that KnownComms should hold for a communicator that it does not know yet.
std::uint64_t look_into(MPI_Comm comm);
// Sets whether the host calls look_at_kept_requests() (kept_requests.hpp) after each call of the application.
void look_after_calls(bool wanted);

// --- The piggyback implements this.

// Whether all processes of a communicator are in MPI_COMM_WORLD. This also works for a communicator whose creation the
// host did not see. False for MPI_COMM_NULL and for a communicator that was freed. hot
inline bool is_closed(MPI_Comm comm) {
    std::uint64_t known = known_comms.find(comm);
    if (known == 0) [[unlikely]]
        known = look_into(comm);
    return (known & KnownComms::closed) != 0;
}

} // namespace tactus
