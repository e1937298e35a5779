/* The part of one rank in a collective call that moves data: what it sends to whom, what it gets, and the call itself.
 */
#pragma once
#include "blocks.hpp"
#include "communicators.hpp"

enum class Collective {
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_alltoallw
};

inline bool is_rooted(Collective kind) { return kind >= Collective::bcast && kind <= Collective::scatterv; }
inline bool is_neighbor(Collective kind) { return kind >= Collective::neighbor_allgather; }

struct Collective_plan {
    const Communicator* comm;
    Collective kind;
    int root;      // in MPI_COMM_WORLD
    bool in_place; // in calls that have a root, only the root decides
    int signature, granule, units;
    std::uint64_t key;
};

class Transfer {
  public:
    explicit Transfer(const Collective_plan& plan);
    /* Makes the blocking call if `request` is null. */
    void call(MPI_Request* request);
    /* Must be called when the call is complete. */
    void check();

  private:
    int units(int from, int to) const;
    std::uint64_t key(int from, int to) const;
    std::vector<int> units_to(const Members& peers) const;
    std::vector<int> units_from(const Members& peers) const;
    bool to_each() const; // a different block for every peer, not one for all
    Shape shape() const;
    void call_rooted(auto issue);
    void call_everybody(auto issue);
    void call_neighbors(auto issue);
    void rooted();
    void everybody();
    void neighbors();
    void make_send(const Members& peers);
    void make_receive(const Members& peers, bool keep);
    void use_in_place(const Members& peers);
    int root_argument() const;
    void* out() { return in_place_out_ ? MPI_IN_PLACE : sends_ ? send_.buffer() : nullptr; }
    void* in() { return in_place_in_ ? MPI_IN_PLACE : receives_ ? receive_.buffer() : nullptr; }
    int out_count() const { return sends_ ? send_.count() : 0; }
    int in_count() const { return receives_ ? receive_.count() : 0; }
    MPI_Datatype out_type() const { return sends_ ? send_.type() : MPI_BYTE; }
    MPI_Datatype in_type() const { return receives_ ? receive_.type() : MPI_BYTE; }

    const Collective_plan plan_;
    const Communicator& comm_;
    Blocks send_, receive_;
    bool sends_ = false, receives_ = false, in_place_out_ = false, in_place_in_ = false;
};
