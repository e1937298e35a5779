// Facts about a trace that several commands show: its problems, hosts and wall time. Pure functions.
#pragma once

#include "trace/rank_file.hpp"

#include <map>
#include <string>
#include <vector>

namespace tactus {

// One line for each problem, for JSON and for the end of a report.
std::vector<std::string> problem_lines(const std::vector<Error>& problems);

// The hosts of the ranks, each once, in rank order.
std::vector<std::string> hosts_of(const Trace& trace);

// Time from the first enter to the last leave of the rank for which it is longest, where MPI_Finalize lasts until the
// last rank came to it. Reads the index, and the last block of each lane.
double wall_seconds(const Trace& trace);

// How many ranks ended in each way, by the name of the ending. Ranks whose files are not closed count as "open".
std::map<std::string, std::size_t> endings_of(const Trace& trace);

// Numbers of different names of symbols and counters that the ranks defined through VT.h.
struct DefinedNames {
    std::size_t symbols = 0;
    std::size_t counters = 0;
};
DefinedNames names_defined_in(const Trace& trace);

} // namespace tactus
