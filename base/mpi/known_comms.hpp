// Communicators by handle: the number of each in records, and whether all its processes are in MPI_COMM_WORLD.
// Any thread reads without a lock; writers serialize themselves by a lock.
#pragma once

#include "base/mpi/handle_table.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "mpi_kind.hpp"

#include <cstdint>

namespace tactus {

constexpr std::uint32_t comm_world_number = 1;
constexpr std::uint32_t comm_self_number = 2;

class KnownComms {
  public:
    // The value of a communicator is its number (0 when tactus did not see it being made), one or both of these bits,
    // and above them this process's rank in it. The whole value is 0 when the communicator was never seen or has been
    // freed. `closed`: all its processes are in MPI_COMM_WORLD.
    static constexpr std::uint64_t seen = std::uint64_t{1} << 32;
    static constexpr std::uint64_t closed = std::uint64_t{1} << 33;
    static constexpr int rank_shift = 34; // A rank has less than 30 bits: no MPI has more processes.
    static std::uint64_t value(std::uint32_t number, bool is_closed, std::int32_t rank) {
        return number | seen | (is_closed ? closed : 0) | std::uint64_t{static_cast<std::uint32_t>(rank)} << rank_shift;
    }

    [[nodiscard]] std::uint64_t find(MPI_Comm comm) const { return table_.find(key_of(comm)); }                // hot
    [[nodiscard]] std::uint32_t number(MPI_Comm comm) const { return static_cast<std::uint32_t>(find(comm)); } // hot
    // The rank of this process. Only for a communicator that is known. hot
    [[nodiscard]] std::int32_t rank(MPI_Comm comm) const { return static_cast<std::int32_t>(find(comm) >> rank_shift); }
    void put(MPI_Comm comm, std::uint64_t known) { table_.put(key_of(comm), known); }

  private:
    HandleTable table_;
};

extern KnownComms known_comms;

} // namespace tactus
