// How close fitted clocks come to the truth, and whether they tell so, for realistic oscillators: docs/clocks.md.
#include "tests/unit/clocksync/simulated_clock.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tactus;

namespace {

constexpr double length_ns = 20 * second_ns;
constexpr std::uint64_t seeds = 4;

SimulatedClock steady(double ppm) {
    SimulatedClock clock;
    clock.ahead = [=](double t) { return 1e6 + ppm * 1e-6 * t; };
    return clock;
}

// A crystal in a machine room, which wanders by 20 us both ways.
SimulatedClock thermal(double period_ns, double phase) {
    SimulatedClock clock;
    clock.ahead = [=](double t) { return -1e6 + 20e3 * std::sin(2 * std::numbers::pi * t / period_ns + phase); };
    return clock;
}

// A clock that NTP adjusts: every 5 to 15 s its drift changes by 5 ppm.
SimulatedClock slewed(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<std::pair<double, double>> slews;
    for (double at = 0; at < length_ns;) {
        at += (5 + 10 * uniform(random)) * second_ns;
        slews.emplace_back(at, random() % 2 == 0 ? 5e-6 : -5e-6);
    }
    SimulatedClock clock;
    clock.ahead = [=](double t) {
        double ns = 1e6;
        for (const auto& [at, rate] : slews) ns += rate * std::max(0.0, t - at);
        return ns;
    };
    return clock;
}

FittedClock fit_of(Fit fit, const SimulatedClock& clock, std::size_t rounds, std::uint64_t seed) {
    return fitted(fit, simulated_facts(clock, {}, evenly(rounds, length_ns), seed));
}

Accuracy accuracy_of(Fit fit, const SimulatedClock& clock, std::size_t rounds, std::uint64_t seed) {
    const TimeMap map = fit_of(fit, clock, rounds, seed).map;
    CHECK(map.notes.empty());
    return accuracy(map, clock, 0, length_ns);
}

} // namespace

TEST_CASE("a steady clock is known within 40 ns after two rounds") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            for (const double ppm : {-50.0, 0.0, 20.0}) {
                const Accuracy seen = accuracy_of(fit, steady(ppm), 2, seed);
                CHECK(seen.largest <= 40);
                CHECK(seen.inside >= 0.999);
                CHECK(seen.median_half_width <= 100);
            }
        }
    }
}

TEST_CASE("a clock that wanders by 20 us is known within 100 ns after 7 rounds, 15 ns after 25") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            for (const double period : {40e9, 60e9, 90e9}) {
                INFO("fit " << fit_names[static_cast<std::size_t>(fit)] << ", period " << period << ", seed " << seed);
                const SimulatedClock clock = thermal(period, static_cast<double>(seed));
                const Accuracy few = accuracy_of(fit, clock, 7, seed);
                CHECK(few.rms <= 100);
                CHECK(few.inside >= 0.999);
                CHECK(few.median_half_width <= 1'000);
                const Accuracy many = accuracy_of(fit, clock, 25, seed);
                CHECK(many.rms <= 15);
                CHECK(many.inside >= 0.999);
                CHECK(many.median_half_width <= 50);
            }
        }
    }
}

TEST_CASE("a clock that is slewed is inside of what is stated nearly everywhere") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        double inside = 0;
        constexpr std::uint64_t runs = 20;
        for (std::uint64_t seed = 0; seed < runs; ++seed) {
            const Accuracy seen = accuracy_of(fit, slewed(seed), 25, seed);
            inside += seen.inside / runs;
            CHECK(seen.rms <= 150);
            CHECK(seen.inside >= 0.9);
            CHECK(seen.median_half_width <= 100);
        }
        CHECK(inside >= 0.98);
    }
}

TEST_CASE("behind its last round a steady clock stays within what is stated") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            const SimulatedClock clock = steady(20);
            for (const std::size_t rounds : {1, 2, 5}) {
                const auto moments = rounds == 1 ? std::vector<double>{0} : evenly(rounds, length_ns);
                const TimeMap map = fitted(fit, simulated_facts(clock, {}, moments, seed)).map;
                CHECK(accuracy(map, clock, -5 * length_ns, 5 * length_ns).inside == Approx(1));
            }
        }
    }
}
