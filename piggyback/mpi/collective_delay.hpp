// Delays in blocking collectives, with VT_PIGGYBACK_COLLECTIVES: a collective of ours with 16 bytes before the
// program's, on the same communicator and of the same kind, tells when the last of those that a rank waits for
// received, and when it would have come without the tracer. Made in the wrapper, before the MPI's function is called.
#pragma once

#include "piggyback/mpi/policy.hpp"
#include "trace/function.hpp"
#include "trace/open_call.hpp"

namespace tactus {

class CollectiveDelay {
  public:
    // `root` of one that has none is not looked at.
    CollectiveDelay(OpenCall& call, MPI_Comm comm, Pattern pattern, int root = 0) : call_{call} {
        if (piggyback_policy.collectives) [[unlikely]]
            gather(comm, pattern, root);
    }
    CollectiveDelay(const CollectiveDelay&) = delete;
    CollectiveDelay& operator=(const CollectiveDelay&) = delete;

    // After the call's leave stamp, before it is stored.
    void settle() {
        if (exchanged_) [[unlikely]]
            take_over();
    }

  private:
    void gather(MPI_Comm comm, Pattern pattern, int root);
    void take_over();

    struct Times {
        double entered;
        double undelayed;
    };
    OpenCall& call_;
    bool exchanged_ = false;
    bool waits_ = false; // for others
    double before_ = 0;  // delay
    double own_ns_ = 0;  // of our collective, without the waiting that is the program's
    Times own_{};
    Times others_{};
};

} // namespace tactus
