// Where the ranks are, as lines for people; ranks that sit in the same place share one when there are many.
#pragma once

#include "cli/source_lines.hpp"
#include "cli/where_lanes.hpp"

#include <string>
#include <vector>

namespace tactus {

// "0-3,7"; `ranks` ascend.
std::string rank_list(const std::vector<std::uint32_t>& ranks);

// "MPI_Recv from 0 tag 77 comm MPI_COMM_WORLD at a.c:1"; empty: it is in none.
std::string open_call_text(const RankState& state, const LaneState& lane, SourceLines& sources);

// One line a thread, or one a group of ranks when there are more than 16.
std::vector<std::string> where_lines(const std::vector<RankState>& states, SourceLines& sources);

} // namespace tactus
