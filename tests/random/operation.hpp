/* Something that some ranks do together in an exchange. Two rules prevent deadlocks. `early` only starts what cannot
 * block, and does so on all ranks before anything blocks. At its position, which is the same on all ranks, an operation
 * may only wait for itself and for earlier operations. */
#pragma once
#include "communicators.hpp"
#include "requests.hpp"

class Operation {
  public:
    virtual ~Operation() = default;
    virtual void early(Pool&) {}
    virtual void in_place(Pool&) {}
    /* Called when everything is complete, by all ranks, in the same order. */
    virtual void afterwards(Communicators&) {}
    /* How much space this rank needs in the buffer for MPI_Bsend and similar calls. */
    virtual int buffered_bytes() { return 0; }
    int position = 0;
};

using Operations = std::vector<std::unique_ptr<Operation>>;

/* What the plan has decided for an exchange. */
struct Exchange {
    explicit Exchange(Communicators& all) : comms(all) {}

    Communicators& comms;
    bool barrier_after_early = false;                 // after it, ready sends are allowed
    bool barrier_at_end = false;                      // a wildcard receive must not take messages of the next exchange
    std::vector<const Communicator*> taken, reserved; // used for messages by several groups; by a single group
    std::vector<const Communicator*> with_collectives;
    Operations operations;

    /* A communicator for a collective call. Open MPI hangs when MPI_Comm_idup and other calls are under way on the same
     * communicator, so that call needs a communicator `alone`. Returns null if there is none. */
    Communicator* for_collective(bool alone);
    /* A communicator for the messages of one group `alone`, or for messages of several groups. Returns null if none is
     * left. */
    Communicator* for_messages(bool alone);
    void add(std::unique_ptr<Operation> operation) { operations.push_back(std::move(operation)); }
};
