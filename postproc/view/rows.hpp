// Groups threads into rows: a row for each thread, or for those of a process, a host, a communicator, or of chosen
// ranks.
#pragma once

#include "postproc/view/view.hpp"

#include <array>
#include <string>
#include <vector>

namespace tactus {

enum class RowsBy : std::uint8_t { threads, processes, hosts, communicators, all };
inline constexpr auto rows_by_names =
    std::to_array<const char*>({"threads", "processes", "hosts", "communicators", "all"});

// Gives the rows in the order of their first rank. Communicators are those that the program made, so MPI_COMM_WORLD and
// MPI_COMM_SELF have no row.
std::vector<ViewRow> rows_by(const Trace& trace, const TimeLine& time_line, RowsBy by);

// Gives a row of the ranks in a list such as "0-3,8". An error when the list is unclear, or when none of them is in the
// trace.
Result<ViewRow> row_of_ranks(const Trace& trace, const TimeLine& time_line, const std::string& ranks);

} // namespace tactus
