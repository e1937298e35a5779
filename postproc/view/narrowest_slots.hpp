// Finds slots that are as narrow as a picture can have them. Pure.
#pragma once

#include "postproc/lod/plan.hpp"
#include "trace/time_map.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tactus {

// Gives the narrowest slots, of 2^`low` units or more, in which there are at most `most` sums, and these sums. If no
// slots have so few, gives those that are as wide as the window. `sums_of(width_bits, most)` returns the sums, or
// nothing when there are more than `most`.
template <class Sum, class SumsOf>
std::pair<unsigned, std::vector<Sum>> narrowest_slots(unsigned low, GlobalTime window, std::size_t most,
                                                      const SumsOf& sums_of) {
    if (std::optional<std::vector<Sum>> sums = sums_of(low, most)) return {low, std::move(*sums)};
    const auto length_bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(window)));
    unsigned too_narrow = low;
    unsigned wide = std::max(low, std::min(length_bits, most_width_bits));
    std::optional<std::vector<Sum>> known;
    while (wide - too_narrow > 1) {
        const unsigned middle = std::midpoint(too_narrow, wide);
        std::optional<std::vector<Sum>> sums = sums_of(middle, most);
        (sums ? wide : too_narrow) = middle;
        if (sums) known = std::move(sums);
    }
    return {wide, known ? std::move(*known) : *sums_of(wide, std::numeric_limits<std::size_t>::max())};
}

} // namespace tactus
