/* Requests that are under way, and how they are completed: by a random variant of Wait and Test, for a random subset of
 * them, including null and inactive requests. */
#pragma once
#include "context.hpp"

#include <functional>
#include <memory>

using Completed = std::function<void(const MPI_Status* status)>; // nullptr if the status was ignored

struct Pending {
    MPI_Request request;
    Completed completed;
    int position = 0; // of the operation in the plan; waiting for the request before its turn may deadlock
    bool persistent = false, needs_status = false, done = false;
    bool nobody = false; // to or from MPI_PROC_NULL; if it is persistent, MPICH takes it for inactive
};

constexpr int at_the_end = 1 << 30; // a position

class Pool {
  public:
    Pending& add(Pending pending);
    /* A Test or Request_get_status of any kind, which takes whatever has come. */
    void look();
    /* Waits for some of the requests that cannot block at this position of the plan. */
    void wait_for_some(int position);
    /* Completes the request that was added last. */
    void finish_last();
    /* Completes all requests. Persistent ones are kept, and are inactive. */
    void finish();
    /* Starts all persistent requests, which must be inactive. */
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
