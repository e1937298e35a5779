// What waits come from, and the critical path. Pure.
//
// A causer that is late was busy instead, or waited itself. Since it and its victim met last (one waited
// for the other, or both were in a collective that waits for all) both had the same time: the victim was through with
// all it had to do there and then waited for w; the causer was not. Had the causer waited c in that time and the victim
// v, then c - v of w (none, and all, at most) come from those waits of the causer, each of which takes its share of w
// by its length, and hands it on in the same way to what it comes from; the rest comes from what the causer did:
// computing, or calls that wait for nobody. (After Boehme, Geimer, Wolf, Arnold: Identifying the root causes of wait
// states in large-scale parallel applications, ICPP 2010, who compare the same two intervals.) So each second of
// waiting has one root, and all roots together have all of them.
//
// The critical path is found backward from the last MPI_Finalize: on the rank that it is on until that rank waited, and
// from there on the one that it waited for.
#pragma once

#include "postproc/waits/wait_list.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// What a rank did until a call from which others got something late.
struct Root {
    std::uint32_t rank = 0;
    Function function{};
    std::uint64_t place = 0;
    double direct = 0;   // waits for just that call, in units of global time
    double indirect = 0; // waits further on
};

// Of the waits of one row: what they come from mostly.
struct RowCause {
    GlobalTime indirect = 0; // that come from waits of the causer
    std::uint32_t root = 0;  // in Causes::roots
    GlobalTime of_root = 0;
};

struct PathShare {
    GlobalTime time = 0;     // that the critical path is on this rank
    GlobalTime computed = 0; // of it
};

struct PathPiece {
    std::uint32_t rank = 0; // the critical path is on it
    GlobalTime from = 0;
    GlobalTime to = 0;
};

struct Causes {
    std::vector<Root> roots;
    std::vector<std::vector<RowCause>> rows; // of each rank, as its RankWaitList::rows
    std::vector<PathShare> path;             // of each rank
    std::uint64_t changes = 0;               // of the critical path from a rank to another
    std::vector<PathPiece> pieces;           // of the path, backward; of a long one the last million
};

Causes causes_of(const RunEvents& run, std::vector<RankWaitList>& lists);

} // namespace tactus
