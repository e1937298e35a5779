// Properties of every time map, whatever was measured: it rises, is smooth, goes through its points, and does not
// depend on where zero is.
#include "tests/unit/clocksync/simulated_clock.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tactus;

namespace {

constexpr int trials = 40;

double between(std::mt19937_64& random, double low, double high) { return low + (high - low) * uniform(random); }

// A random oscillator, every other time as a TSC.
SimulatedClock some_clock(std::mt19937_64& random) {
    SimulatedClock clock;
    const double offset = between(random, -1e6, 1e6);
    const double drift = between(random, -50e-6, 50e-6);
    const double amplitude = between(random, 0, 20e3);
    const double turn = 2 * std::numbers::pi / between(random, 40e9, 90e9);
    clock.ahead = [=](double t) { return offset + drift * t + amplitude * std::sin(turn * t); };
    if (random() % 2 == 0) clock.ns_per_tick = 1 / 2.7;
    return clock;
}

// No two moments are so close that they would count as one.
std::vector<double> some_moments(std::mt19937_64& random, std::size_t fewest = 2) {
    std::vector<double> moments = {0};
    const std::size_t count = fewest + random() % 11;
    while (moments.size() < count) moments.push_back(moments.back() + between(random, 0.5, 3.5) * second_ns);
    return moments;
}

ClockFacts some_facts(std::mt19937_64& random, std::size_t fewest = 2) {
    const SimulatedClock clock = some_clock(random);
    return simulated_facts(clock, {}, some_moments(random, fewest), random());
}

Ticks some_tick(const ClockFacts& facts, std::mt19937_64& random) {
    const Ticks begin = facts.anchors.front().tick - 1'000'000'000;
    return begin + random() % (facts.anchors.back().tick - begin + 1'000'000'000);
}

// The slope at `to`, on the side of `from`, in nanoseconds a tick. It is computed from four values, and exact for
// cubics.
double slope_at(const TimeMap& map, Ticks from, Ticks to) {
    const auto third = static_cast<std::int64_t>(to - from) / 3;
    const auto rise = [&](std::int64_t k) {
        return to_ns(map.at(from + static_cast<Ticks>(k * third)) - map.at(from));
    };
    return (18 * rise(1) - 9 * rise(2) + 2 * rise(3)) / (6 * static_cast<double>(third));
}

ClockFacts moved(ClockFacts facts, Ticks local, Ticks master) {
    for (Anchor& anchor : facts.anchors) anchor.tick += local;
    for (SyncRound& round : facts.rounds)
        for (SyncSample& sample : round.samples) {
            sample.sent += local;
            sample.received += local;
            sample.master += master;
        }
    return facts;
}

} // namespace

TEST_CASE("time maps rise from tick to tick") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        std::mt19937_64 random{1};
        for (int trial = 0; trial < trials; ++trial) {
            const ClockFacts facts = some_facts(random);
            const TimeMap map = fitted(fit, facts).map;
            REQUIRE(map.is_sound());
            CHECK(map.fit == fit);
            std::vector<Ticks> ticks;
            for (int i = 0; i < 200; ++i) ticks.push_back(some_tick(facts, random));
            for (const ClockKnot& knot : map.knots) ticks.push_back(knot.tick);
            std::sort(ticks.begin(), ticks.end());
            for (std::size_t i = 0; i < ticks.size(); ++i) {
                CHECK(map.at(ticks[i]) < map.at(ticks[i] + 1));
                CHECK(map.at(ticks[i] - 1) < map.at(ticks[i]));
                if (i > 0 && ticks[i - 1] < ticks[i]) CHECK(map.at(ticks[i - 1]) < map.at(ticks[i]));
            }
        }
    }
}

TEST_CASE("time maps go through the points of their rounds") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        std::mt19937_64 random{2};
        for (int trial = 0; trial < trials; ++trial) {
            // With Intel's fit, two rounds make a straight line, which need not go through them.
            const ClockFacts facts = some_facts(random, fit == Fit::itac ? 3 : 2);
            const FittedClock clock = fitted(fit, facts);
            REQUIRE(clock.rounds.size() == facts.rounds.size());
            REQUIRE(clock.map.knots.size() == facts.rounds.size());
            const double first = to_ns(true_master().at(facts.rounds[0].samples[0].master));
            for (std::size_t i = 0; i < clock.rounds.size(); ++i) {
                const FittedRound& round = clock.rounds[i];
                CHECK(clock.map.knots[i].tick == round.tick);
                CHECK(to_ns(clock.map.at(round.tick)) == Approx(first + round.point.global()).margin(0.7).epsilon(0));
                CHECK(round.samples == 100);
            }
        }
    }
}

TEST_CASE("the rate of a time map does not jump at its knots") {
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        std::mt19937_64 random{3};
        for (int trial = 0; trial < trials; ++trial) {
            const TimeMap map = fitted(fit, some_facts(random)).map;
            for (std::size_t i = 0; i < map.knots.size(); ++i) {
                const Ticks at = map.knots[i].tick;
                const Ticks before = i > 0 ? map.knots[i - 1].tick : at - 3'000'000'000;
                const Ticks behind = i + 1 < map.knots.size() ? map.knots[i + 1].tick : at + 3'000'000'000;
                CHECK(slope_at(map, at, before) == Approx(map.knots[i].rate).epsilon(2e-8));
                CHECK(slope_at(map, at, behind) == Approx(map.knots[i].rate).epsilon(2e-8));
            }
        }
    }
}

TEST_CASE("a straight clock over an even link is found exactly") {
    constexpr double grain = 65'536; // so that each stamp is a whole tick
    SimulatedClock clock;
    clock.ahead = [](double t) { return -3 * grain + t / grain; };
    const SimulatedLink link{
        .delay_ns = grain, .asymmetry = 0, .noise_ns = 0, .outliers = 0, .pause_ns = grain, .samples = 50};
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        for (const std::size_t rounds : {2, 3, 8}) {
            std::vector<double> moments;
            for (std::size_t i = 0; i < rounds; ++i)
                moments.push_back(15'000 * grain * static_cast<double>(i * (i + 3))); // at uneven distances
            const TimeMap map = fitted(fit, simulated_facts(clock, link, moments, 1)).map;
            for (int i = -5'000; i < 200'000; i += 1'000)
                CHECK(std::abs(to_ns(map.at(clock.tick(grain * i))) - grain * i) <= 0.25);
            CHECK(map.notes.empty());
        }
    }
}

TEST_CASE("time maps do not depend on where clocks began to count") {
    constexpr Ticks far = 1'000'000'000'000'000'000;
    for (const Fit fit : {Fit::interval, Fit::itac}) {
        std::mt19937_64 random{4};
        for (int trial = 0; trial < trials; ++trial) {
            const ClockFacts facts = some_facts(random);
            const TimeMap here = fitted(fit, facts).map;
            const TimeMap there = fitted(fit, moved(facts, far, 0)).map;
            const TimeMap master = straight(master_origin + far, 0, 1);
            const TimeMap from_there = fit_clock(fit, moved(facts, 0, far), master, master).map;
            for (int i = 0; i < 200; ++i) {
                const Ticks tick = some_tick(facts, random);
                CHECK(there.at(tick + far) == here.at(tick));
                CHECK(there.half_width_ns(tick + far) == here.half_width_ns(tick));
                CHECK(from_there.at(tick) == here.at(tick));
            }
        }
    }
}

TEST_CASE("a clock measured against another is as wide as both") {
    std::mt19937_64 random{5};
    const SimulatedClock clock = some_clock(random);
    const ClockFacts facts = simulated_facts(clock, {}, evenly(5, 20 * second_ns), 1);
    TimeMap master = true_master();
    const TimeMap alone = fit_clock(Fit::interval, facts, master, master).map;
    master.knots[0].half_width_ns = 1'000;
    const TimeMap both = fit_clock(Fit::interval, facts, master, master).map;
    REQUIRE(alone.knots.size() == both.knots.size());
    for (std::size_t i = 0; i < alone.knots.size(); ++i) {
        CHECK(both.knots[i].half_width_ns == Approx(alone.knots[i].half_width_ns + 1'000).epsilon(0.2));
        CHECK(both.knots[i].time == alone.knots[i].time);
    }
}
