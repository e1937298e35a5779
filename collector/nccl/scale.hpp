// Converts ticks of the rank's timer to nanoseconds of CLOCK_MONOTONIC and back, near the last anchor. Pure.
#pragma once

#include "base/ticks.hpp"

#include <cmath>

namespace tactus::nccl {

struct Scale {
    Anchor anchor;
    double ns_per_tick = 1;

    [[nodiscard]] std::int64_t ns(Ticks tick) const {
        const auto ticks = static_cast<std::int64_t>(tick - anchor.tick);
        return anchor.monotonic_ns + std::llround(static_cast<double>(ticks) * ns_per_tick);
    }
    [[nodiscard]] Ticks tick(std::int64_t ns) const {
        return anchor.tick + static_cast<Ticks>(ticks(ns - anchor.monotonic_ns));
    }
    [[nodiscard]] std::int64_t ticks(std::int64_t ns) const {
        return std::llround(static_cast<double>(ns) / ns_per_tick);
    }
};

} // namespace tactus::nccl
