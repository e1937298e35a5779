// Communicators. Each has a small number for records, and an identity. All members compute the same identity without
// any message: it is a hash of (function, parent unless Intercomm_create, members as world ranks, tag, n), for the n-th
// creation in this process with the same values of all the others. Finding a number takes no lock; making and freeing
// take one. Any thread may call this.
#pragma once

#include "base/mpi/handle_table.hpp"
#include "base/mpi/known_comms.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "collector/process_state.hpp"
#include "collector/requests.hpp"
#include "mpi_kind.hpp"
#include "trace/definitions.hpp"

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <string_view>
#include <vector>

namespace tactus {

struct Degrees {
    int in;
    int out;
};

class Comms {
  public:
    // Called once, before records can be written: `world` has all processes of the run. It is MPI_COMM_WORLD, and
    // MPI_COMM_SELF is defined, too; or it was made from a session, and then the program has neither of these.
    void start(MPI_Comm world);
    // The definitions of MPI_COMM_WORLD and MPI_COMM_SELF, for a program that calls MPI_Init after start().
    std::vector<Comm> define_world();
    void stop(); // frees the group that start() got from the MPI
    // False until the recording has begun; for good when the collector did not see MPI being initialized. Then
    // nothing can be defined.
    [[nodiscard]] bool started() const { return started_.load(std::memory_order_acquire); } // pairs with start()

    // 0 for a communicator whose making the collector did not see. hot
    [[nodiscard]] std::uint32_t number(MPI_Comm comm) const { return known_comms.number(comm); }
    // What known_comms should say about a communicator that it does not know.
    std::uint64_t look_into(MPI_Comm comm);

    // The identity that all members compute; 0 as above.
    [[nodiscard]] std::uint64_t identity(MPI_Comm comm) const { return identities_.find(key_of(comm)); }
    // The members of a group as ranks of MPI_COMM_WORLD; -1 for a process outside it.
    [[nodiscard]] std::vector<std::int32_t> world_ranks(MPI_Group group) const;
    // The same for the rank that messages on `comm` to `rank` go to; -1 also when there is no such rank.
    [[nodiscard]] std::int32_t world_rank(MPI_Comm comm, int rank) const;
    // How many neighbors this rank has in a communicator's topology; zeros without a topology.
    [[nodiscard]] Degrees degrees(MPI_Comm comm) const;

    // Numbers a communicator that was just made, and returns its definition for the caller to record.
    Comm define(Function made_by, MPI_Comm parent, MPI_Comm comm, int tag);
    // The same in two steps, for MPI_Comm_idup: the identity is fixed when the operation starts, but the handle exists
    // only at its completion.
    std::uint64_t reserve_duplicate(MPI_Comm parent);
    Comm define_duplicate(std::uint32_t parent, MPI_Comm comm, std::uint64_t identity);
    // Forgets a handle. Called before the MPI frees the communicator, because another thread may get the same handle at
    // once. The result is for restore(), which takes this back when the MPI did not free it.
    std::uint64_t retire(MPI_Comm comm);
    void restore(MPI_Comm comm, std::uint64_t retired);
    void forget(MPI_Comm comm); // after the MPI has freed it
    void name(std::uint32_t number, std::string_view text);

    // The first communicators of the run, which are defined again at the end of the file. count() counts all.
    [[nodiscard]] std::vector<Comm> definitions();
    [[nodiscard]] std::uint32_t count() const { return next_ - 1; }

  private:
    void describe(MPI_Comm comm, Comm& out);
    std::uint64_t identity_of(const Comm& comm, std::uint64_t parent, int tag);
    void admit(Comm& made, MPI_Comm comm, int topology);

    HandleTable identities_;  // by handle
    HandleTable topologies_;  // MPI_CART and so on, plus 1, by handle of a communicator that has a topology
    HandleTable repetitions_; // how many were made, by hash of what an identity is made of
    MPI_Group world_group_{};
    std::uint32_t next_ = 1;
    std::vector<Comm>* kept_ = nullptr;
    std::atomic<bool> started_{false};
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

// The communicator that MPI_Comm_idup put at `place`.
MPI_Comm comm_at(NewComm place);

} // namespace tactus
