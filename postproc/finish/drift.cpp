#include "postproc/finish/drift.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

// Returns how far the rate of the clock may be off between measurements, as a ratio: the largest change of the rate
// that was seen from one piece of the clock's map to the next, but no less than the fit's own drift. With two rounds
// alone no change can be seen, so at least 20 ppm are assumed.
double residual_drift(const ProcessClock& clock) {
    constexpr double unknown = 2e-5;
    const std::vector<ClockKnot>& knots = clock.fitted.knots;
    const std::vector<ShiftKnot>& shifts = clock.refined.knots;
    double most = clock.fitted.drift_ppm * 1e-6;
    if (knots.size() == 2 && shifts.empty()) most = std::max(most, unknown);
    for (std::size_t i = 1; i + 1 < knots.size(); ++i) {
        const auto slope = [&](std::size_t k) {
            return ns_from(knots[k].time, knots[k + 1].time) / static_cast<double>(knots[k + 1].tick - knots[k].tick);
        };
        most = std::max(most, std::abs(slope(i) / slope(i - 1) - 1));
    }
    for (std::size_t i = 1; i < shifts.size(); ++i) {
        const auto time = static_cast<double>(clock.fitted.at(shifts[i].tick) - clock.fitted.at(shifts[i - 1].tick));
        if (time > 0)
            most = std::max(most, std::abs(static_cast<double>(shifts[i].shift - shifts[i - 1].shift)) / time);
    }
    return most;
}

} // namespace

double decay_by_drift(const std::vector<ProcessClock>& clocks, ReplayWire& wire) {
    constexpr double fine = 1e12;
    constexpr double least = 1e-5;
    constexpr double largest = 1e-3;
    std::vector<std::int64_t> most{0};
    for (const ProcessClock& clock : clocks)
        most[0] = std::max<std::int64_t>(most[0], std::llround(std::min(residual_drift(clock), 1.0) * fine));
    wire.find_most(most);
    return std::clamp(5 * static_cast<double>(most[0]) / fine, least, largest);
}

} // namespace tactus
