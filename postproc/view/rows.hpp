// Which threads make a row: each its own, or those of a process, a host, a communicator, or of ranks that somebody
// chose.
#pragma once

#include "postproc/view/view.hpp"

#include <array>
#include <string>
#include <vector>

namespace tactus {

enum class RowsBy : std::uint8_t { threads, processes, hosts, communicators, all };
inline constexpr auto rows_by_names =
    std::to_array<const char*>({"threads", "processes", "hosts", "communicators", "all"});

// By rank; communicators (but MPI_COMM_WORLD and MPI_COMM_SELF) by the first rank that has them.
std::vector<ViewRow> rows_by(const Trace& trace, const TimeLine& time_line, RowsBy by);

// Of ranks such as "0-3,8".
Result<ViewRow> row_of_ranks(const Trace& trace, const TimeLine& time_line, const std::string& ranks);

} // namespace tactus
