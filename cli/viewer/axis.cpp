#include "cli/viewer/axis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tactus {

Axis axis_between(double from_s, double to_s, double pixels) {
    constexpr double spacing = 110;
    const double wanted = (to_s - from_s) / std::max(1.0, pixels / spacing);
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    double step = 10 * power;
    for (const double part : {5.0, 2.0, 1.0})
        if (part * power >= wanted) step = part * power;
    const double largest = std::max(std::abs(from_s), std::abs(to_s));
    const auto [unit, name] = largest >= 1      ? std::pair{1.0, "s"}
                              : largest >= 1e-3 ? std::pair{1e-3, "ms"}
                                                : std::pair{1e-6, "µs"};
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 12);
    Axis axis;
    constexpr int most = 1000; // bounds the loop where k * step no longer grows for lack of precision
    for (double k = std::ceil(from_s / step); k * step <= to_s && axis.marks.size() < most; ++k)
        axis.marks.push_back({k * step, fmt::format("{:.{}f} {}", k * step / unit, digits, name)});
    return axis;
}

} // namespace tactus
