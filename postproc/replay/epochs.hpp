// The epochs of one rank's windows, and which ranks its active target synchronization waits for (MPI-4.0, 12.5). Used
// by one thread.
//
//   MPI_Win_fence            waits for all members, when it ends an epoch that a fence began
//   MPI_Win_wait, _test      wait for the MPI_Win_complete of every rank of the group given to MPI_Win_post
//
// MPI_Win_start and MPI_Win_complete are not taken to wait for MPI_Win_post, since an MPI may buffer the data until
// then.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace tactus {

class Epochs {
  public:
    explicit Epochs(const RankFile& file);

    // Forgets open epochs: those that other threads began are not known in this lane.
    void begin_lane() { open_.clear(); }

    struct Step {
        std::uint64_t window = 0;         // its identity; 0: not known
        bool waits = false;               // MPI_Win_fence waits for all members
        std::vector<std::uint32_t> ranks; // of MPI_COMM_WORLD, that MPI_Win_complete tells or MPI_Win_wait waited for
    };
    // Takes a call for which is_of_epochs() holds, in the order in which the thread made them.
    Step step(const Signature& what, Words words);

  private:
    struct Epoch {
        bool fenced = false;                // a fence began it
        std::vector<std::uint32_t> targets; // ranks of MPI_COMM_WORLD, like `origins`
        std::vector<std::uint32_t> origins;
    };

    const RankFile& file_;
    std::map<std::int32_t, std::uint64_t> identities_; // by the window's number
    std::map<std::int32_t, Epoch> open_;               // by the window's number
};

} // namespace tactus
