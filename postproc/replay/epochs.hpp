// The epochs of one rank's windows, and whom active target synchronization waits for (MPI-4.0, 12.5). One thread.
//
//   MPI_Win_fence            all members, when it ends an epoch that a fence began
//   MPI_Win_wait, _test      the MPI_Win_complete of every rank of the group that was posted to
//
// That MPI_Win_start or _complete wait for MPI_Win_post is not said: an MPI may keep what is put until then.
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

    // What other threads began is not known in this one.
    void begin_lane() { open_.clear(); }

    struct Step {
        std::uint64_t window = 0;         // its identity; 0: not known
        bool waits = false;               // of MPI_Win_fence: for all members
        std::vector<std::uint32_t> ranks; // of MPI_COMM_WORLD: whom MPI_Win_complete tells, MPI_Win_wait waited for
    };
    // A call of is_of_epochs(), in the order in which this thread made them.
    Step step(const Signature& what, Words words);

  private:
    struct Epoch {
        bool fenced = false; // a fence began it
        std::vector<std::uint32_t> targets;
        std::vector<std::uint32_t> origins;
    };

    const RankFile& file_;
    std::map<std::int32_t, std::uint64_t> identities_; // by number
    std::map<std::int32_t, Epoch> open_;               // by window
};

} // namespace tactus
