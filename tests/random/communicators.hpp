/* The communicators of a seed. Every rank knows all of them and their members, including those that it is not in. */
#pragma once
#include "context.hpp"

#include <array>
#include <memory>

using Members = std::vector<int>; // ranks in MPI_COMM_WORLD, in the order of the communicator

struct Communicator {
    MPI_Comm handle = MPI_COMM_NULL; // MPI_COMM_NULL if this rank is not a member
    std::array<Members, 2> groups;   // the second is empty unless this is an intercommunicator
    std::vector<int> dims, periods;  // of a Cartesian communicator
    // Of a communicator with a topology: by rank; PROC_NULL means no neighbor.
    std::vector<Members> sources, destinations;
    bool permanent = false;    // MPI's own
    bool being_copied = false; // by a non-blocking call

    bool inter() const { return !groups[1].empty(); }
    bool has_topology() const { return !destinations.empty(); }
    int side(int world_rank) const; // the group that the rank is in; -1: none
    bool has(int world_rank) const { return side(world_rank) >= 0; }
    int rank_of(int world_rank) const; // the rank in its own group
    const Members& local() const { return groups[static_cast<std::size_t>(side(here.rank))]; }
    const Members& remote() const; // the ranks that this rank can talk to
    const Members& reached_from(int world_rank) const;
};

/* A copy that MPI has not made yet. */
std::unique_ptr<Communicator> copy_of(const Communicator& parent);

class Communicators {
  public:
    Communicators();
    ~Communicators();
    Communicator& random();
    /* The next two are called by all ranks. The plan decides what is made from which communicator, or which is freed.
     */
    void make_some();
    void free_some();
    /* May free a communicator while messages on it are under way, if the plan decides so. Communicators with collective
     * calls under way are excluded, because Open MPI cannot handle that. */
    void free_early(const std::vector<const Communicator*>& with_collectives);
    void add(std::unique_ptr<Communicator> comm);

  private:
    void free_at(std::size_t index, bool may_disconnect);
    std::vector<std::unique_ptr<Communicator>> all_, freed_;
};
