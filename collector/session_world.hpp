// The world of a program that uses MPI sessions without MPI_Init (MPI 4.0, 11.3): all processes that the run was
// started with. tactus has a session and a communicator of its own there. Processes may come to it from different
// communicators of the program, and the program may free its own at any time.
#pragma once

#include "base/mpi/mpi_functions.hpp"

#include <cstdint>

namespace tactus {

class SessionWorld {
  public:
    // Whether a communicator that was made from the group of a session has all processes of the run, and these are
    // several. Any thread. MPICH 4.0.2 on UCX crashes in MPI_Test when a single process has not called MPI_Init.
    [[nodiscard]] static bool has_all_processes(MPI_Comm comm);
    // Called by all processes together, once. When the others do not come within `patience_ns`, it prints a message and
    // ends the process, and with that the job. False: the MPI refused.
    bool make(std::int64_t patience_ns);
    // The communicator that make() made. Its ranks are in the order of mpi://WORLD.
    [[nodiscard]] MPI_Comm comm() const { return comm_; }
    // Whether make() succeeded, and free() was not called yet.
    [[nodiscard]] bool is_made() const { return comm_ != MPI_Comm{}; }
    void free();

  private:
    MPI_Session session_{};
    MPI_Comm comm_{};
};

} // namespace tactus
