// The functions that a sample is in, before they are a path in the trace. Pure.
#pragma once

#include "sampling/python.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

constexpr std::size_t most_sampled_frames = most_memory_parts;

struct PythonStack {
    std::array<PythonFrame, most_sampled_frames> frames;
    Python::Stack known;
};

// Addresses in functions, the innermost first.
struct NativePath {
    std::array<std::uint64_t, most_sampled_frames> addresses;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t interpreter = 0; // the innermost one in an interpreter; `end`: there is none
    bool complete = false;
};

// A path of functions, the innermost first.
struct SampledPlaces {
    std::array<std::uint64_t, most_sampled_frames> all;
    std::size_t count = 0;
    bool whole = true;              // all callers are known
    void add(std::uint64_t place) { // 0: it is not known, and neither are its callers then
        whole = whole && place != 0 && count < all.size();
        if (whole) all[count++] = place;
    }
    [[nodiscard]] std::span<const std::uint64_t> callers_from(std::size_t first) const {
        return std::span{all}.first(count).subspan(std::min(first, count));
    }
};

} // namespace tactus
