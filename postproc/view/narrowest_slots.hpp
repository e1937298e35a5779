// Slots that are as narrow as a picture can have them. Pure.
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

// Of 2^`low` units or more, with which there are no more than `most`, and would be with narrower ones; else one for a
// window of that length. `sums_of(width_bits, most)` gives nothing where there are more.
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
