#include "base/nearest.hpp"

#include "base/grammar.hpp"

#include <algorithm>
#include <cstddef>

namespace tactus {
namespace {

// The number of letters to add, leave out, exchange or swap with their neighbor (Damerau and Levenshtein, restricted to
// one change a place).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                steps[i][j] = i + j;
                continue;
            }
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (same ? 0 : 1)});
            const bool swapped =
                i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
        }
    }
    return steps[a.size()][b.size()];
}

} // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& words) {
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 4) + 1;
    for (const std::string_view candidate : words) {
        const std::size_t steps = distance(word, candidate);
        if (steps >= least) continue;
        least = steps;
        best = candidate;
    }
    return best;
}

} // namespace tactus
