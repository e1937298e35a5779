// The waits of one rank, added up by who waited for whom and where.
#pragma once

#include "trace/wait_rows.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace tactus {

class WaitRows {
  public:
    using Row = std::uint32_t; // number of a row

    // `row` says who waited for whom and where; its count and times are ignored. Adds a wait of length `waited`.
    Row add(const WaitRow& row, GlobalTime waited);

    // By number of the row.
    [[nodiscard]] const std::vector<WaitRow>& all() const { return rows_; }
    // Moves the rows out, most time first. Only `most` rows are kept; the time of the others is added up in `others`.
    void take(std::size_t most, std::vector<WaitRow>& rows, GlobalTime& others);

  private:
    using Key = std::tuple<WaitKind, std::uint32_t, std::uint32_t, Function, Function, std::uint64_t, std::uint64_t>;
    Row row_of(const WaitRow& row);
    void count(Row row, GlobalTime waited);

    std::map<Key, Row> known_;
    std::vector<WaitRow> rows_;
};

} // namespace tactus
