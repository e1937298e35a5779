/* One thing that some ranks do together in an exchange. Nothing deadlocks because of two rules: `early` only starts
 * what cannot block, on all ranks, before anything blocks; and at its position, the same on all ranks, an operation
 * may only wait for itself and for earlier ones. */
#pragma once
#include "communicators.hpp"
#include "requests.hpp"

class Operation {
  public:
    virtual ~Operation() = default;
    virtual void early(Pool&) {}
    virtual void in_place(Pool&) {}
    /* When everything is complete; all ranks come here, in the same order. */
    virtual void afterwards(Communicators&) {}
    /* What this rank needs in the buffer of MPI_Bsend and its kin. */
    virtual int buffered_bytes() { return 0; }
    int position = 0;
};

using Operations = std::vector<std::unique_ptr<Operation>>;

/* What the plan has decided for a whole exchange. */
struct Exchange {
    explicit Exchange(Communicators& all) : comms(all) {}

    Communicators& comms;
    bool barrier_after_early = false;                 // ready sends are legal from there on
    bool barrier_at_end = false;                      // a receive that takes anything must not see the next exchange
    std::vector<const Communicator*> taken, reserved; // for messages: by some, by one group alone
    std::vector<const Communicator*> with_collectives;
    Operations operations;

    /* A communicator for a collective call. Open MPI hangs when MPI_Comm_idup is under way with others on the same
     * communicator, so that one needs it for itself; null when there is none. */
    Communicator* for_collective(bool alone);
    /* A communicator for messages of their own, or for those among others; null when there is none left. */
    Communicator* for_messages(bool alone);
    void add(std::unique_ptr<Operation> operation) { operations.push_back(std::move(operation)); }
};
