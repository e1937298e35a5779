// How all tables of `tactus report` are printed.
#pragma once

#include "cli/table.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>

namespace tactus {

// `behind` is a line below the table, unless it is empty.
inline void print_table(const char* title, const Table& table, const std::string& behind = {}) {
    fmt::print("\n{}\n{}{}", title, table.text(), behind.empty() ? "" : "  " + behind + "\n");
}

// Returns the line below a table that shows at most `shown` of `all` rows. Empty when the table has all rows.
inline std::string left_out(std::size_t all, std::size_t shown, const std::string& what = {}) {
    if (all <= shown) return "";
    return fmt::format("and {} more{} (--json has all)", all - shown, what.empty() ? "" : " " + what);
}

} // namespace tactus
