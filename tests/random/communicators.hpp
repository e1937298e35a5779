/* The communicators of a seed. Every rank knows all of them with their members, also those that it is not in. */
#pragma once
#include "context.hpp"

#include <array>
#include <memory>

using Members = std::vector<int>; // ranks in MPI_COMM_WORLD, in the order of the communicator

struct Communicator {
    MPI_Comm handle = MPI_COMM_NULL;            // null outside of it
    std::array<Members, 2> groups;              // the second is empty unless this is an intercommunicator
    std::vector<int> dims, periods;             // of a Cartesian one
    std::vector<Members> sources, destinations; // of one with a topology: by rank, PROC_NULL where there is nobody
    bool permanent = false;                     // MPI's own
    bool being_copied = false;                  // by a call that does not block

    bool inter() const { return !groups[1].empty(); }
    bool has_topology() const { return !destinations.empty(); }
    int side(int world_rank) const; // the group that it is in, -1: none
    bool has(int world_rank) const { return side(world_rank) >= 0; }
    int rank_of(int world_rank) const; // in its own group
    const Members& local() const { return groups[static_cast<std::size_t>(side(here.rank))]; }
    const Members& remote() const; // whom this rank can talk to
    const Members& reached_from(int world_rank) const;
};

/* A copy that MPI has yet to make. */
std::unique_ptr<Communicator> copy_of(const Communicator& parent);

class Communicators {
  public:
    Communicators();
    ~Communicators();
    Communicator& random();
    /* Two calls of the same name on all ranks: the plan decides what is made of which communicator, or freed. */
    void make_some();
    void free_some();
    /* Frees one, if the plan says so, while messages on it are under way; not with collective calls under way, that is
     * too much for Open MPI. */
    void free_early(const std::vector<const Communicator*>& with_collectives);
    void add(std::unique_ptr<Communicator> comm);

  private:
    void free_at(std::size_t index, bool may_disconnect);
    std::vector<std::unique_ptr<Communicator>> all_, freed_;
};
