// One round of clock measurements: the protocol of Intel's collector, over any wire. Runs in the traced process, in the
// thread that asked for the round; no allocation but the samples.
//
//   master                              child
//     | ---- prompt: your turn --------> |        else the request would wait, and seem to take as long
//     |                                  | sent = now()
//     | <--------------------- request - |
//     | master = now()                   |
//     | - answer: master --------------> |        of the same size as the request
//     |                                  | received = now()
//
// One exchange with each child, then again from the first, until there were enough with each, or time is up.
#pragma once

#include "base/options/clock_choices.hpp"
#include "trace/sync_round.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

// Single words between two ranks, in order. False: it cannot be, now or ever.
class Wire {
  public:
    virtual bool send(std::uint32_t to, std::uint64_t word) = 0;
    // Gets ready for the next word from a rank, so that it arrives without delay.
    virtual void expect(std::uint32_t from) = 0;
    virtual bool receive(std::uint32_t from, std::uint64_t& word) = 0;
    // The same without haste: others may need the core meanwhile.
    virtual bool await(std::uint32_t from, std::uint64_t& word) = 0;

  protected:
    ~Wire() = default;
};

struct RoundLimits {
    std::uint64_t messages = 100; // with each child
    std::int64_t duration_ns = 0; // of all of them
};

// The master's side.
bool serve(Wire& wire, std::span<const std::uint32_t> children, const RoundLimits& limits);
// The child's.
bool measure(Wire& wire, std::uint32_t master, std::vector<SyncSample>& samples);

// Who measures whom, as one rank sees it. Leaders are numbered; the first is the reference, rank 0.
constexpr std::size_t largest_star = 32; // leaders, when the choice is ours

// In a star leader 0 serves all others at once. In a binomial tree the first 2^k leaders serve one more each in step k:
// after log2(L) steps everybody was served.
//
//   star              tree     step 0: 0-1   step 1: 0-2 1-3   step 2: 0-4 1-5 2-6 3-7
struct TreePlace {
    std::size_t parent = 0;            // of leader 0: itself
    std::uint32_t level = 0;           // exchanges to leader 0
    std::vector<std::size_t> children; // in the order in which they are served, after the parent served this one
    bool at_once = false;              // they take turns
    std::uint32_t turns = 1;           // exchanges of the whole round that follow one another
};
TreePlace place_in_tree(Topology topology, std::size_t leader, std::size_t leaders);

} // namespace tactus
