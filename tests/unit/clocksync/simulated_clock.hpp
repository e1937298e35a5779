// Clocks that a test invents, rounds measured between them, and how far a map is from the truth. True time is what the
// master's clock shows, in nanoseconds since its `master_origin`. One tick of the master is a nanosecond.
#pragma once

#include "clocksync/fit.hpp"

#include <functional>
#include <random>

namespace tactus {

constexpr Ticks master_origin = 7'000'000'000;
constexpr double second_ns = 1e9;

struct SimulatedClock {
    std::function<double(double)> ahead = [](double) { return 0; }; // ns, at a true time
    Ticks origin = 5'000'000'000;                                   // what it would show at 0 if it were right
    double ns_per_tick = 1;
    [[nodiscard]] Ticks tick(double true_ns) const;
};

// Messages take 230 ns each way, with some noise. Now and then one of the two is delayed.
struct SimulatedLink {
    double delay_ns = 230;
    double asymmetry = 0.03; // the way there takes longer by this share of delay_ns, and the way back takes less
    double noise_ns = 20;    // exponential, each way
    double outliers = 0.02;
    double outlier_ns = 50'000; // at most
    double pause_ns = 300;      // between two samples
    int samples = 100;
};

SyncRound simulated_round(const SimulatedClock& clock, const SimulatedLink& link, double true_ns, std::uint32_t number,
                          std::mt19937_64& random);

// Facts with rounds at these moments. The anchors are at 0 and after the last round.
ClockFacts simulated_facts(const SimulatedClock& clock, const SimulatedLink& link, const std::vector<double>& true_ns,
                           std::uint64_t seed);
std::vector<double> evenly(std::size_t rounds, double length_ns);

// Fits against a master whose clock is the truth.
TimeMap true_master();
FittedClock fitted(Fit fit, const ClockFacts& facts);

struct Accuracy {
    double largest = 0; // ns
    double rms = 0;
    double inside = 0; // share of moments at which the truth lies within the stated half-width
    double median_half_width = 0;
};
Accuracy accuracy(const TimeMap& map, const SimulatedClock& clock, double begin_ns, double end_ns);

double uniform(std::mt19937_64& random); // 0 to 1

} // namespace tactus
