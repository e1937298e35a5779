// Which call places of two builds of a program are the same.
#pragma once

#include <string>
#include <vector>

namespace tactus {

// What a place, a function or a wait has in one trace. The numbers are means over the ranks.
struct SidePlace {
    std::string what;          // "MPI_Send", "late sender in MPI_Recv"
    std::string at = {};       // the place, as it is shown; empty: there is none
    std::string function = {}; // in which the place is; may be unknown
    std::string file = {};     // source file without its folders; empty: the line is not known
    int line = 0;
    double seconds = 0;
    double count = 0;
};

struct PlacePair {
    const SidePlace* before = nullptr; // nullptr: only in the other trace
    const SidePlace* after = nullptr;
};

// Pairs the places of two traces, in each of which what and place together come once. Those are the same that are in
// one function and source file, in the same order, and not far from each other, because lines move when a program is
// changed; of the others, and of those without lines, the ones with the same text. The result refers to the arguments.
std::vector<PlacePair> pairs_of(const std::vector<SidePlace>& before, const std::vector<SidePlace>& after);

} // namespace tactus
