/* Requests that are under way and how they are completed: by any variant of Wait and Test, chosen at random, over any
 * part of them, null and inactive ones included. */
#pragma once
#include "context.hpp"

#include <functional>
#include <memory>

using Completed = std::function<void(const MPI_Status* status)>; // null when the status was ignored

struct Pending {
    MPI_Request request;
    Completed completed;
    int position = 0; // of the operation in the plan: waiting for it before its turn may deadlock
    bool persistent = false, needs_status = false, done = false;
    bool nobody = false; // to or from MPI_PROC_NULL, which MPICH takes for inactive when it is persistent
};

constexpr int at_the_end = 1 << 30; // a position

class Pool {
  public:
    Pending& add(Pending pending);
    /* A Test or Request_get_status of any kind: whatever has come is taken. */
    void look();
    /* Waits for some of what cannot block at this position of the plan. */
    void wait_for_some(int position);
    /* Completes the one that was added last. */
    void finish_last();
    /* Completes all of them; persistent ones stay, inactive. */
    void finish();
    /* Starts all the persistent ones, which must be inactive. */
    void start_again();
    void free_persistent();

  private:
    using Chosen = std::vector<Pending*>;
    Chosen part(int up_to_position);
    void complete(Chosen& chosen, bool wait);
    void one(Chosen& chosen, bool wait);
    void any(Chosen& chosen, bool wait);
    void some(Chosen& chosen, bool wait);
    void all(Chosen& chosen, bool wait);
    void get_status();

    std::vector<std::unique_ptr<Pending>> entries_;
};
