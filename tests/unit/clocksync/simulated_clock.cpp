#include "tests/unit/clocksync/simulated_clock.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

Ticks SimulatedClock::tick(double true_ns) const {
    return origin + static_cast<Ticks>(std::llround((true_ns + ahead(true_ns)) / ns_per_tick));
}

namespace {

double delay(const SimulatedLink& link, double direction, std::mt19937_64& random) {
    double ns = link.delay_ns * (1 + direction * link.asymmetry) - link.noise_ns * std::log1p(-uniform(random));
    if (uniform(random) < link.outliers / 2) ns += link.outlier_ns * uniform(random);
    return ns;
}

} // namespace

SyncRound simulated_round(const SimulatedClock& clock, const SimulatedLink& link, double true_ns, std::uint32_t number,
                          std::mt19937_64& random) {
    SyncRound round{.reason = RoundReason::timesync, .number = number, .samples = {}};
    for (int i = 0; i < link.samples; ++i) {
        const double there = true_ns + delay(link, 1, random);
        const double back = there + delay(link, -1, random);
        const auto master = master_origin + static_cast<Ticks>(std::llround(there));
        round.samples.push_back({clock.tick(true_ns), master, clock.tick(back)});
        true_ns = back + link.pause_ns;
    }
    return round;
}

ClockFacts simulated_facts(const SimulatedClock& clock, const SimulatedLink& link, const std::vector<double>& true_ns,
                           std::uint64_t seed) {
    std::mt19937_64 random{seed};
    ClockFacts facts{.place = {.relation = ClockRelation::measured, .master = 0, .level = 1},
                     .timer = clock.ns_per_tick == 1 ? Timer::monotonic : Timer::tsc,
                     .anchors = {},
                     .rounds = {}};
    const double end = true_ns.empty() ? second_ns : true_ns.back() + second_ns;
    for (const double at : {0.0, end}) {
        const Ticks tick = clock.tick(at);
        const double shown = static_cast<double>(static_cast<std::int64_t>(tick - clock.origin)) * clock.ns_per_tick;
        facts.anchors.push_back({tick, std::llround(shown), std::llround(shown)});
    }
    for (const double at : true_ns)
        facts.rounds.push_back(
            simulated_round(clock, link, at, static_cast<std::uint32_t>(facts.rounds.size()), random));
    return facts;
}

std::vector<double> evenly(std::size_t rounds, double length_ns) {
    std::vector<double> moments;
    for (std::size_t i = 0; i < rounds; ++i)
        moments.push_back(length_ns * static_cast<double>(i) / static_cast<double>(rounds - 1));
    return moments;
}

TimeMap true_master() { return straight(master_origin, 0, 1); }

FittedClock fitted(Fit fit, const ClockFacts& facts) {
    return fit_clock(fit, facts, true_master(), straight(facts.anchors.front().tick, 0, 1));
}

Accuracy accuracy(const TimeMap& map, const SimulatedClock& clock, double begin_ns, double end_ns) {
    constexpr int moments = 2000;
    Accuracy seen;
    std::vector<double> half_widths;
    for (int i = 0; i <= moments; ++i) {
        const double truth = begin_ns + (end_ns - begin_ns) * i / moments;
        const Ticks tick = clock.tick(truth);
        const double error = std::abs(to_ns(map.at(tick)) - truth);
        half_widths.push_back(map.half_width_ns(tick));
        seen.largest = std::max(seen.largest, error);
        seen.rms += error * error / (moments + 1);
        seen.inside += error <= half_widths.back() ? 1.0 / (moments + 1) : 0;
    }
    seen.rms = std::sqrt(seen.rms);
    std::nth_element(half_widths.begin(), half_widths.begin() + moments / 2, half_widths.end());
    seen.median_half_width = half_widths[moments / 2];
    return seen;
}

} // namespace tactus
