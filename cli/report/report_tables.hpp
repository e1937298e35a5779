// How the tables of `tactus report` are printed, whatever they are of.
#pragma once

#include "cli/table.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>

namespace tactus {

// `behind` is a line below the table; empty: none.
inline void print_table(const char* title, const Table& table, const std::string& behind = {}) {
    fmt::print("\n{}\n{}{}", title, table.text(), behind.empty() ? "" : "  " + behind + "\n");
}

// What stands below a table of `shown` rows at most, of `all` there are: empty when it has all of them.
inline std::string left_out(std::size_t all, std::size_t shown, const std::string& what = {}) {
    if (all <= shown) return "";
    return fmt::format("and {} more{} (--json has all)", all - shown, what.empty() ? "" : " " + what);
}

} // namespace tactus
