// One round of clock measurements: the protocol of Intel's collector, over any wire. It runs in the traced process, in
// the thread that asked for the round, and allocates nothing but the samples.
//
//   master                              child
//     | ---- prompt: your turn --------> |        without it the request would wait, and seem to take that long
//     |                                  | sent = now()
//     | <--------------------- request - |
//     | master = now()                   |
//     | - answer: master --------------> |        of the same size as the request
//     |                                  | received = now()
//
// The master makes one exchange with each child, then begins again with the first, until it has made enough with each
// or the time is up.
#pragma once

#include "base/options/clock_choices.hpp"
#include "trace/sync_round.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

// Carries single words between two ranks, in order. False means that it fails now and will fail from then on.
class Wire {
  public:
    virtual bool send(std::uint32_t to, std::uint64_t word) = 0;
    // Gets ready for the next word from a rank, so that it arrives without delay.
    virtual void expect(std::uint32_t from) = 0;
    virtual bool receive(std::uint32_t from, std::uint64_t& word) = 0;
    // The same without haste: it leaves the core to others meanwhile.
    virtual bool await(std::uint32_t from, std::uint64_t& word) = 0;

  protected:
    ~Wire() = default;
};

struct RoundLimits {
    std::uint64_t messages = 100; // exchanges with each child
    std::int64_t duration_ns = 0; // of all exchanges together
};

// The master's side of a round. False when the wire fails.
bool serve(Wire& wire, std::span<const std::uint32_t> children, const RoundLimits& limits);
// The child's side; it appends to `samples`. False when the wire fails.
bool measure(Wire& wire, std::uint32_t master, std::vector<SyncSample>& samples);

// Who measures whom, as one rank sees it. Leaders are numbered; the first is the reference, rank 0.
constexpr std::size_t largest_star = 32; // the most leaders for which Topology::automatic is a star

// In a star, leader 0 serves all others in turns. In a binomial tree, each of the first 2^k leaders serves one more
// leader in step k, so that after log2(L) steps all L leaders were served.
//
//   star              tree     step 0: 0-1   step 1: 0-2 1-3   step 2: 0-4 1-5 2-6 3-7
struct TreePlace {
    std::size_t parent = 0;            // leader 0 is its own parent
    std::uint32_t level = 0;           // number of exchanges on the way to leader 0
    std::vector<std::size_t> children; // in the order in which they are served, after the parent served this leader
    bool at_once = false;              // the children take turns in one call of serve()
    std::uint32_t turns = 1;           // calls of serve() that must follow one another in the whole round
};
// Gives the place of a leader among `leaders` of them.
TreePlace place_in_tree(Topology topology, std::size_t leader, std::size_t leaders);

} // namespace tactus
