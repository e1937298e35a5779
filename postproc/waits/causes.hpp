// What waits come from, and the critical path. Pure.
//
// A causer that is late either was busy, or waited itself. Causer and victim met last when one waited for the other, or
// when both were in a collective that waits for all. Since then both had the same time: the victim finished its work
// and then waited for w, but the causer did not. Say that in this time the causer waited c, and the victim v. Then
// c - v of w (at least 0, at most w) comes from those waits of the causer. Each of these waits takes a share of w in
// proportion to its length, and hands it on in the same way to what it comes from. The rest of w comes from what the
// causer did: computing, or calls that wait for nobody. So each second of waiting has one root, and all roots together
// account for all waiting. This follows Boehme, Geimer, Wolf, Arnold: Identifying the root causes of wait states in
// large-scale parallel applications, ICPP 2010, who compare the same two intervals.
//
// The critical path is followed backward from the last MPI_Finalize. It stays on a rank until the end of a wait of that
// rank, and continues there on the rank that was waited for.
#pragma once

#include "postproc/profile/core_time.hpp"
#include "postproc/profile/samples.hpp"
#include "postproc/waits/wait_list.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace tactus {

// The part of a wait that a place has, by samples.
struct SampledTime {
    double time = 0; // in units of global time
    std::uint64_t samples = 0;
};

// What is known of a rank outside of MPI.
struct RankOutside {
    OutsideUntil time;
    SamplesInTime samples;
    std::vector<std::uint32_t> numbers; // of its places, which are the same on all ranks
};

// What a rank did before a call that came late for others.
struct Root {
    std::uint32_t rank = 0;
    Function function{};
    std::uint64_t place = 0;
    double direct = 0;   // waits for exactly that call, in units of global time
    double indirect = 0; // waits for ranks that waited because of it
    // `direct` divided by what the rank did outside of MPI since it had met the rank that waits: each wait by the share
    // of what it did in that time. Zeros where nothing is known of that.
    CoreTime did = {};
    // What the ranks that wait did outside of MPI in the same time, with the same weights.
    CoreTime peers_did = {};
    // The same by what samples of that time were in: numbers of RankSamples::places of the rank.
    std::map<std::uint32_t, SampledTime> sampled = {};
    // What the ranks that wait did in the same time, with the same weights, by RankOutside::numbers.
    std::map<std::uint32_t, SampledTime> peers = {};
};

// What the waits of one row mostly come from.
struct RowCause {
    GlobalTime indirect = 0; // waiting that comes from waits of the causer
    std::uint32_t root = 0;  // index in Causes::roots
    // How much of the row's waiting comes from this root.
    GlobalTime of_root = 0;
};

struct PathShare {
    GlobalTime time = 0;     // how long the critical path is on this rank
    GlobalTime computed = 0; // how much of that the rank computed
};

struct PathPiece {
    std::uint32_t rank = 0; // the rank that the critical path is on
    GlobalTime from = 0;
    GlobalTime to = 0;
};

struct Causes {
    std::vector<Root> roots;
    std::vector<std::vector<RowCause>> rows; // of each rank, parallel to its RankWaitList::rows
    std::vector<PathShare> path;             // of each rank
    std::uint64_t changes = 0;               // how often the critical path changes to another rank
    std::vector<PathPiece> pieces;           // of the path, backward; of a long path only the last million
};

// `lists` are those that list_waits() made of `run`. Sets `root` and `indirect` of each wait, and moves `met` to a
// later meeting, if there was one. `outside`: of each rank, or empty if nothing is known.
Causes causes_of(const RunEvents& run, std::vector<RankWaitList>& lists, const std::vector<RankOutside>& outside);

} // namespace tactus
