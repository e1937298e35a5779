#include "cli/report/diff_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

namespace tactus {
namespace {

constexpr int near_by = 50; // lines

// The places in one function, of both traces.
struct Group {
    std::vector<const SidePlace*> before;
    std::vector<const SidePlace*> after;
};

// Pairs places that come in the same order in both, as few lines as possible apart, and as many as there are near by:
// the cheapest way through the table of all pairs, in which a place that is left alone costs more than a pair.
void pair_group(Group& group, std::vector<PlacePair>& pairs) {
    std::ranges::sort(group.before, {}, &SidePlace::line);
    std::ranges::sort(group.after, {}, &SidePlace::line);
    const std::size_t rows = group.before.size();
    const std::size_t columns = group.after.size();
    const auto distance = [&](std::size_t i, std::size_t j) {
        const int lines = std::abs(group.before[i]->line - group.after[j]->line);
        return lines == 0 && group.before[i]->at != group.after[j]->at ? 1 : lines; // through another function
    };
    std::vector<std::vector<int>> cost(rows + 1, std::vector<int>(columns + 1));
    for (std::size_t i = rows + 1; i-- > 0;)
        for (std::size_t j = columns + 1; j-- > 0;) {
            if (i == rows || j == columns) {
                cost[i][j] = near_by * static_cast<int>(rows - i + columns - j);
                continue;
            }
            cost[i][j] = near_by + std::min(cost[i + 1][j], cost[i][j + 1]);
            if (distance(i, j) <= near_by) cost[i][j] = std::min(cost[i][j], distance(i, j) + cost[i + 1][j + 1]);
        }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < rows && j < columns) {
        if (distance(i, j) <= near_by && cost[i][j] == distance(i, j) + cost[i + 1][j + 1])
            pairs.push_back({group.before[i++], group.after[j++]});
        else if (cost[i][j] == near_by + cost[i + 1][j])
            pairs.push_back({group.before[i++], nullptr});
        else
            pairs.push_back({nullptr, group.after[j++]});
    }
    for (; i < rows; ++i) pairs.push_back({group.before[i], nullptr});
    for (; j < columns; ++j) pairs.push_back({nullptr, group.after[j]});
}

} // namespace

std::vector<PlacePair> pairs_of(const std::vector<SidePlace>& before, const std::vector<SidePlace>& after) {
    std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
    std::vector<PlacePair> found;
    const auto take = [&](const SidePlace& place, bool is_after) {
        if (place.file.empty()) {
            found.push_back(is_after ? PlacePair{nullptr, &place} : PlacePair{&place, nullptr});
            return;
        }
        Group& group = groups[{place.what, place.function, place.file}];
        (is_after ? group.after : group.before).push_back(&place);
    };
    for (const SidePlace& place : before) take(place, false);
    for (const SidePlace& place : after) take(place, true);
    for (auto& [key, group] : groups) pair_group(group, found);

    // What is alone so far is the same where the texts are, as in a function that is now a part of its caller.
    std::vector<PlacePair> pairs;
    std::map<std::pair<std::string, std::string>, PlacePair> alone;
    for (const PlacePair& pair : found) {
        if (pair.before != nullptr && pair.after != nullptr) {
            pairs.push_back(pair);
            continue;
        }
        const SidePlace* const only = pair.before != nullptr ? pair.before : pair.after;
        PlacePair& same = alone[{only->what, only->at}];
        (pair.before != nullptr ? same.before : same.after) = only;
    }
    for (const auto& [key, pair] : alone) pairs.push_back(pair);
    return pairs;
}

} // namespace tactus
