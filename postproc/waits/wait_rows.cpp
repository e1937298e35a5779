#include "postproc/waits/wait_rows.hpp"

#include "trace/shift_map.hpp"

#include <algorithm>
#include <tuple>

namespace tactus {
namespace {

auto key_of(const WaitRow& row) {
    return std::tuple{row.kind,         row.victim,      row.causer, row.victim_function, row.causer_function,
                      row.victim_place, row.causer_place};
}

} // namespace

WaitRows::Row WaitRows::row_of(const WaitRow& row) {
    const auto [at, fresh] = known_.try_emplace(key_of(row), static_cast<Row>(rows_.size()));
    if (fresh) {
        rows_.push_back(row);
        rows_.back().count = 0;
        rows_.back().total = rows_.back().longest = 0;
    }
    return at->second;
}

void WaitRows::count(Row row, GlobalTime waited) {
    WaitRow& wait_row = rows_[row];
    ++wait_row.count;
    wait_row.total = sum_of(wait_row.total, waited);
    wait_row.longest = std::max(wait_row.longest, waited);
}

WaitRows::Row WaitRows::add(const WaitRow& wait_row, GlobalTime waited) {
    const Row row = row_of(wait_row);
    count(row, waited);
    return row;
}

void WaitRows::take(std::size_t most, std::vector<WaitRow>& rows, GlobalTime& others) {
    std::sort(rows_.begin(), rows_.end(), [](const WaitRow& a, const WaitRow& b) {
        return a.total != b.total ? a.total > b.total : key_of(a) < key_of(b);
    });
    others = 0;
    for (std::size_t i = most; i < rows_.size(); ++i) others = sum_of(others, rows_[i].total);
    if (rows_.size() > most) rows_.resize(most);
    rows = std::move(rows_);
}

} // namespace tactus
