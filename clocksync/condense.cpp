#include "clocksync/condense.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

// For messages of equal size over one link, taking the quickest of many in each direction: the middle is wrong by at
// most this part of the bound (one direction takes 4/3 of the other's time), plus the error of the stamps themselves,
// which is `reads_off` resolutions. The numbers are measured: docs/clocks.md.
constexpr double largest_asymmetry = 0.16;
constexpr double reads_off = 1;
// One of so many samples is as quick as the link allows.
constexpr std::size_t quick_every = 16;
// One of so many samples says where in the bounds the offset lies. The two samples that make the bounds are outliers.
constexpr std::size_t typical_every = 4;

// How far the quickest samples lie apart. Among many nearly equal samples the quickest is trusted.
double spread(std::vector<double>& ascending) {
    const std::size_t nth = std::min(ascending.size() - 1, ascending.size() / quick_every + 1);
    std::nth_element(ascending.begin(), ascending.begin() + static_cast<std::ptrdiff_t>(nth), ascending.end());
    return ascending[nth] - *std::min_element(ascending.begin(), ascending.end());
}

// Gives the mean offset of the quickest quarter, moved to one moment by the drift.
double typical_offset(std::span<const Exchange> samples, double local, double drift) {
    std::vector<Exchange> quick{samples.begin(), samples.end()};
    const std::size_t count = (quick.size() + typical_every - 1) / typical_every;
    const auto end = quick.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(quick.begin(), end - 1, quick.end(),
                     [](const Exchange& a, const Exchange& b) { return a.round_trip() < b.round_trip(); });
    double offset = 0;
    for (auto sample = quick.begin(); sample != end; ++sample)
        offset += (sample->master - sample->middle() + drift * (local - sample->middle())) / static_cast<double>(count);
    return offset;
}

} // namespace

std::optional<Point> condense_by_bounds(std::span<const Exchange> samples, const Drift& drift) {
    if (samples.empty()) return {};
    const auto quicker = [](const Exchange& a, const Exchange& b) { return a.round_trip() < b.round_trip(); };
    const Exchange& quickest = *std::min_element(samples.begin(), samples.end(), quicker);
    Point point{.local = quickest.middle()};
    std::vector<double> lower; // negated, so that in both lists the best bound is the smallest value
    std::vector<double> upper;
    for (const Exchange& sample : samples) {
        const double moved = drift.rate * (point.local - sample.middle());
        const double doubt = drift.error * std::abs(point.local - sample.middle());
        lower.push_back(sample.received - sample.master - moved + doubt);
        upper.push_back(sample.master - sample.sent + moved + doubt);
    }
    const double spreads = spread(lower) + spread(upper);
    // On a crowded host the messages of one direction alone may have waited for a core, every time.
    const bool crowded =
        std::any_of(samples.begin(), samples.end(), [](const Exchange& exchange) { return exchange.crowded; });
    const double asymmetry = crowded ? 1 : largest_asymmetry;
    const double low = -*std::min_element(lower.begin(), lower.end());
    const double high = *std::min_element(upper.begin(), upper.end());
    point.offset = low + (high - low) / 2;
    point.contradiction = std::max(0.0, low - high);
    if (!crowded && low < high) point.offset = std::clamp(typical_offset(samples, point.local, drift.rate), low, high);
    point.bound = std::max(std::abs(high - point.offset), std::abs(point.offset - low)) + drift.resolution_ns;
    point.half_width =
        point.contradiction > 0
            ? point.bound + quickest.round_trip() / 2
            : std::min(point.bound, asymmetry * (point.bound + spreads / 2) + reads_off * drift.resolution_ns);
    point.half_width += quickest.master_half_width;
    point.bound += quickest.master_half_width;
    return point;
}

std::vector<Exchange> without_slowest_tenth(std::span<const Exchange> samples) {
    std::vector<Exchange> kept{samples.begin(), samples.end()};
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Exchange& a, const Exchange& b) { return a.round_trip() < b.round_trip(); });
    kept.resize(kept.size() - kept.size() / 10);
    return kept;
}

std::optional<Point> condense_by_mean(std::span<const Exchange> samples) {
    const std::vector<Exchange> kept = without_slowest_tenth(samples);
    if (kept.empty()) return {};
    const auto count = static_cast<double>(kept.size());
    Point point;
    for (const Exchange& sample : kept) {
        point.local += sample.middle() / count;
        point.offset += (sample.master - sample.middle()) / count;
    }
    return point;
}

} // namespace tactus
