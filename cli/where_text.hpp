// Text that tells where the ranks are. When there are many ranks, those at the same place share a line.
#pragma once

#include "cli/source_lines.hpp"
#include "cli/where_lanes.hpp"

#include <string>
#include <vector>

namespace tactus {

// Returns text such as "0-3,7". `ranks` must be sorted.
std::string rank_list(const std::vector<std::uint32_t>& ranks);

// Returns text such as "MPI_Recv from 0 tag 77 comm MPI_COMM_WORLD at a.c:1", or an empty string if no call is open.
std::string open_call_text(const RankState& state, const LaneState& lane, SourceLines& sources);

// Returns one line for each thread. With more than 16 ranks, those at the same place share a line.
std::vector<std::string> where_lines(const std::vector<RankState>& states, SourceLines& sources);

} // namespace tactus
