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
    // The value of a communicator is its number (0 when tactus did not see it being made) and one or both of these
    // bits. The whole value is 0 when the communicator was never seen or has been freed. `closed`: all its processes
    // are in MPI_COMM_WORLD.
    static constexpr std::uint64_t seen = std::uint64_t{1} << 32;
    static constexpr std::uint64_t closed = std::uint64_t{1} << 33;

    [[nodiscard]] std::uint64_t find(MPI_Comm comm) const { return table_.find(key_of(comm)); }                // hot
    [[nodiscard]] std::uint32_t number(MPI_Comm comm) const { return static_cast<std::uint32_t>(find(comm)); } // hot
    void put(MPI_Comm comm, std::uint64_t known) { table_.put(key_of(comm), known); }

  private:
    HandleTable table_;
};

extern KnownComms known_comms;

} // namespace tactus
