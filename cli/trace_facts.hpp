// Facts about a trace that several commands show: its problems, hosts and wall time. Pure.
#pragma once

#include "trace/rank_file.hpp"

#include <map>
#include <string>
#include <vector>

namespace tactus {

// Lines of trace.problems for JSON and for the end of a report.
std::vector<std::string> problem_lines(const std::vector<Error>& problems);

// Hosts of the ranks, each once, in rank order.
std::vector<std::string> hosts_of(const Trace& trace);

// From the first enter to the last leave of the rank that took longest, by the index alone.
double wall_seconds(const Trace& trace);

// How the ranks ended: name of the ending to number of ranks; those whose files are not closed are "open".
std::map<std::string, std::size_t> endings_of(const Trace& trace);

// Different names of symbols, and of counters, that the ranks defined through VT.h.
struct DefinedNames {
    std::size_t symbols = 0;
    std::size_t counters = 0;
};
DefinedNames names_defined_in(const Trace& trace);

} // namespace tactus
