// Communicators: a small number for records, and an identity that all members compute alike without any message:
// hash of (function, parent unless Intercomm_create, members as world ranks, tag, n), n = earlier creations here with
// the same of all that. Numbers are found without a lock; making and freeing take one. Any thread.
#pragma once

#include "base/mpi/handle_table.hpp"
#include "base/mpi/known_comms.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "collector/process_state.hpp"
#include "collector/requests.hpp"
#include "mpi_kind.hpp"
#include "trace/definitions.hpp"

#include <cstdint>
#include <pthread.h>
#include <string_view>
#include <vector>

namespace tactus {

class Comms {
  public:
    // After MPI_Init: MPI_COMM_WORLD and MPI_COMM_SELF.
    void start();
    void stop(); // frees what the MPI lent us
    // False when MPI was initialized out of our sight (MPI_Session_init, a library's own PMPI_Init): nothing can be
    // defined.
    [[nodiscard]] bool started() const { return kept_ != nullptr; }

    // 0 for a communicator that was made out of our sight. hot
    [[nodiscard]] std::uint32_t number(MPI_Comm comm) const { return known_comms.number(comm); }
    // What known_comms should say of one that it does not know.
    std::uint64_t look_into(MPI_Comm comm);

    // The one that all its members know it by; 0 as above.
    [[nodiscard]] std::uint64_t identity(MPI_Comm comm) const { return identities_.find(key_of(comm)); }
    // Ranks of MPI_COMM_WORLD; -1 for a process outside it.
    [[nodiscard]] std::vector<std::int32_t> world_ranks(MPI_Group group) const;
    // Of a rank that messages on that communicator are sent to; -1 also when there is none.
    [[nodiscard]] std::int32_t world_rank(MPI_Comm comm, int rank) const;

    // Numbers a communicator just made, and gives its definition for the caller to record.
    Comm define(Function made_by, MPI_Comm parent, MPI_Comm comm, int tag);
    // The same in two steps, for MPI_Comm_idup: the identity counts from the start, the handle exists at completion.
    std::uint64_t reserve_duplicate(MPI_Comm parent);
    Comm define_duplicate(std::uint32_t parent, MPI_Comm comm, std::uint64_t identity);
    // Forgets the handle before the MPI frees it, since another thread may be given it at once; gives what restore()
    // needs.
    std::uint64_t retire(MPI_Comm comm);
    void restore(MPI_Comm comm, std::uint64_t retired);
    void forget(MPI_Comm comm); // after the MPI has freed it
    void name(std::uint32_t number, std::string_view text);

    // The first communicators of the run, as they are repeated at the end of the file; how many there were in all.
    [[nodiscard]] std::vector<Comm> definitions();
    [[nodiscard]] std::uint32_t count() const { return next_ - 1; }

  private:
    void describe(MPI_Comm comm, Comm& out);
    std::uint64_t identity_of(const Comm& comm, std::uint64_t parent, int tag);
    void admit(Comm& made, MPI_Comm comm);

    HandleTable identities_;  // by handle
    HandleTable repetitions_; // by hash of what an identity is made of
    MPI_Group world_group_{};
    std::uint32_t next_ = 1;
    std::vector<Comm>* kept_ = nullptr;
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

// Neighbors in a communicator's topology; zeros without one.
struct Degrees {
    int in;
    int out;
};
Degrees degrees_of(MPI_Comm comm);

// The communicator that MPI_Comm_idup put there.
MPI_Comm comm_at(NewComm place);

} // namespace tactus
