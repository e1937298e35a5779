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
    using Row = std::uint32_t; // a row's number

    // `one` says all but how often and how long.
    Row add(const WaitRow& row, GlobalTime waited);

    // By number.
    [[nodiscard]] const std::vector<WaitRow>& all() const { return rows_; }
    // Most time first; what is beyond `most` rows is added up in `others`.
    void take(std::size_t most, std::vector<WaitRow>& rows, GlobalTime& others);

  private:
    using Key = std::tuple<WaitKind, std::uint32_t, std::uint32_t, Function, Function, std::uint64_t, std::uint64_t>;
    Row row_of(const WaitRow& row);
    void count(Row row, GlobalTime waited);

    std::map<Key, Row> known_;
    std::vector<WaitRow> rows_;
};

} // namespace tactus
