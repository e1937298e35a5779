#include "postproc/waits/wait_rows.hpp"

#include "trace/shift_map.hpp"

#include <algorithm>
#include <tuple>

namespace tactus {
namespace {

auto key_of(const WaitRow& one) {
    return std::tuple{one.kind,         one.victim,      one.causer, one.victim_function, one.causer_function,
                      one.victim_place, one.causer_place};
}

} // namespace

WaitRows::Row WaitRows::row_of(const WaitRow& one) {
    const auto [at, fresh] = known_.try_emplace(key_of(one), static_cast<Row>(rows_.size()));
    if (fresh) {
        rows_.push_back(one);
        rows_.back().count = 0;
        rows_.back().total = rows_.back().longest = 0;
    }
    return at->second;
}

void WaitRows::count(Row row, GlobalTime waited) {
    WaitRow& one = rows_[row];
    ++one.count;
    one.total = sum_of(one.total, waited);
    one.longest = std::max(one.longest, waited);
}

WaitRows::Row WaitRows::add(const WaitRow& one, GlobalTime waited) {
    const Row row = row_of(one);
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
