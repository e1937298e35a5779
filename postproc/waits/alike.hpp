// Puts what many ranks cause alike into one row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace tactus {

// One of several ranks that cause the same stands out from a part of this size on.
constexpr double part_that_stands_out = 0.05;

// Divides `items`, which lie in the order of their seconds, most first, into rows. Items with the same key are one row,
// except for those that stand out, and for a few. A row has the indices of its items, most seconds first. The rows are
// in that order, too.
template <class Item, class KeyOf, class SecondsOf>
std::vector<std::vector<std::size_t>> rows_alike(const std::vector<Item>& items, const KeyOf& key_of,
                                                 const SecondsOf& seconds_of) {
    struct Row {
        std::vector<std::size_t> items;
        double seconds = 0;
    };
    constexpr std::ptrdiff_t few = 4;
    std::map<decltype(key_of(items.front())), Row> alike;
    for (std::size_t i = 0; i < items.size(); ++i) {
        Row& row = alike[key_of(items[i])];
        row.items.push_back(i);
        row.seconds += seconds_of(items[i]);
    }
    std::vector<Row> rows;
    for (auto& [key, row] : alike) {
        const double least = part_that_stands_out * row.seconds;
        const auto stands_out = [&](std::size_t item) {
            return seconds_of(items[item]) > 0 && seconds_of(items[item]) >= least;
        };
        auto alone = std::ranges::find_if_not(row.items, stands_out);
        if (row.items.end() - alone < few) alone = row.items.end();
        for (auto item = row.items.begin(); item != alone; ++item) {
            const double seconds = seconds_of(items[*item]);
            rows.push_back({{*item}, seconds});
            row.seconds -= seconds;
        }
        row.items.erase(row.items.begin(), alone);
        if (!row.items.empty()) rows.push_back(std::move(row));
    }
    std::ranges::sort(rows, [](const Row& a, const Row& b) {
        return a.seconds != b.seconds ? a.seconds > b.seconds : a.items.front() < b.items.front();
    });
    std::vector<std::vector<std::size_t>> result;
    for (Row& row : rows) result.push_back(std::move(row.items));
    return result;
}

} // namespace tactus
