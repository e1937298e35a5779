// Delays in blocking collectives, with VT_PIGGYBACK_COLLECTIVES. Before the program's collective, tactus makes one of
// its own with 16 bytes, of the same kind and on the same communicator. It tells when the last of the ranks that this
// rank waits for entered, and when that rank would have entered without the tracer. The wrapper makes a CollectiveDelay
// before it calls the MPI's function.
#pragma once

#include "piggyback/mpi/policy.hpp"
#include "trace/function.hpp"
#include "trace/open_call.hpp"

namespace tactus {

class CollectiveDelay {
  public:
    // A collective without a root leaves `root` at its default.
    CollectiveDelay(OpenCall& call, MPI_Comm comm, Pattern pattern, int root = 0) : call_{call} {
        if (piggyback_policy.collectives) [[unlikely]]
            gather(comm, pattern, root);
    }
    CollectiveDelay(const CollectiveDelay&) = delete;
    CollectiveDelay& operator=(const CollectiveDelay&) = delete;

    // Called after the call's leave tick was taken and before the call is stored.
    void settle() {
        if (exchanged_) [[unlikely]]
            take_over();
    }

  private:
    void gather(MPI_Comm comm, Pattern pattern, int root);
    void take_over();

    struct Times { // in nanoseconds on the common clock
        double entered;
        double undelayed;
    };
    OpenCall& call_;
    bool exchanged_ = false;
    bool waits_ = false; // whether this rank waits for others in the collective
    double before_ = 0;  // the thread's delay before the collective
    double own_ns_ = 0;  // cost of tactus's collective, without the wait that the program would have had anyway
    Times own_{};
    Times others_{}; // of the last of the ranks that this rank waits for
};

} // namespace tactus
