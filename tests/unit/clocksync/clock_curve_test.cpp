// The parts of a fit, one by one: a round as one point, slopes at points, steps.
#include "clocksync/curve.hpp"

#include "tests/unit/clocksync/simulated_clock.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <cmath>

using namespace tactus;

namespace {

// Points on a curve, 0.1 to 10 s apart.
template <class Curve> std::vector<Point> points_on(Curve curve, std::size_t count, std::mt19937_64& random) {
    std::vector<Point> points;
    double at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        points.push_back({.local = at, .offset = curve(at), .half_width = 20, .bound = 200});
        at += second_ns * (0.1 + 9.9 * uniform(random));
    }
    return points;
}

// A sample of a clock with known offset at 0 and known drift; the messages take `there` and `back`.
Exchange exchange_of(double offset, double drift, double sent, double there, double back) {
    const auto master_at = [&](double local) { return local + offset + drift * local; };
    return {.sent = sent, .master = master_at(sent + there), .received = sent + there + back};
}

} // namespace

TEST_CASE("three-point slopes are exact on parabolas, whatever the spacing") {
    std::mt19937_64 random{1};
    for (int round = 0; round < 50; ++round) {
        const double a = 1e-15 * (uniform(random) - 0.5);
        const double b = 1e-4 * (uniform(random) - 0.5);
        const auto curve = [&](double x) { return 1e6 + b * x + a * x * x; };
        const auto points = points_on(curve, 3 + static_cast<std::size_t>(round) % 10, random);
        const Slopes slopes = three_point_slopes(points);
        REQUIRE(slopes.size() == points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            CHECK(slopes[i] == Approx(b + 2 * a * points[i].local).margin(1e-13));
    }
    CHECK(three_point_slopes(std::vector<Point>{{.local = 1, .offset = 1}, {.local = 3, .offset = 2}}) ==
          Slopes{0.5, 0.5});
}

TEST_CASE("constrained slopes are harmonic means, zero at a turning point, and blind to the spacing") {
    // The chords of global time are 1/3, 1/1, -1/1 and 3/1.
    const std::vector<Point> points = {{.local = 0, .offset = 0},
                                       {.local = 3, .offset = -2},
                                       {.local = 4, .offset = -2},
                                       {.local = 5, .offset = -4},
                                       {.local = 6, .offset = -2}};
    const Slopes slopes = constrained_slopes(points);
    REQUIRE(slopes.size() == 5);
    CHECK(1 + slopes[0] == Approx(1.5 / 3 - 0.25));
    CHECK(1 + slopes[1] == Approx(0.5)); // harmonic mean of 1/3 and 1
    CHECK(1 + slopes[2] == 0);
    CHECK(1 + slopes[3] == 0);
    CHECK(1 + slopes[4] == Approx(4.5));
}

TEST_CASE("a curve goes through its points, with the slopes it was given") {
    std::mt19937_64 random{5};
    for (int round = 0; round < 50; ++round) {
        const auto points = points_on([&](double) { return 1e6 * uniform(random); }, 4, random);
        Slopes slopes;
        for (int i = 0; i < 4; ++i) slopes.push_back(1e-3 * (uniform(random) - 0.5));
        for (std::size_t gap = 0; gap < 3; ++gap) {
            for (const std::size_t end : {0, 1}) {
                const OnCurve on = on_curve(points, slopes, gap, static_cast<double>(end));
                CHECK(on.point.local == Approx(points[gap + end].local));
                CHECK(on.point.offset == Approx(points[gap + end].offset));
                CHECK(on.slope == Approx(slopes[gap + end]));
            }
            for (const double u : {0.01, 0.3, 0.5, 0.9}) {
                const Point before = on_curve(points, slopes, gap, u - 1e-4).point;
                const Point behind = on_curve(points, slopes, gap, u + 1e-4).point;
                const double rise = (behind.offset - before.offset) / (behind.local - before.local);
                CHECK(on_curve(points, slopes, gap, u).slope == Approx(rise).margin(1e-8));
            }
        }
    }
}

TEST_CASE("slopes that keep time rising, and only those that must are changed") {
    std::mt19937_64 random{2};
    for (int round = 0; round < 200; ++round) {
        const auto points = points_on([&](double) { return 5e7 * (uniform(random) - 0.5); }, 6, random);
        Slopes slopes;
        for (int i = 0; i < 6; ++i) slopes.push_back(8 * uniform(random) - 4);
        const Slopes before = slopes;
        keep_rising(points, slopes);
        for (std::size_t i = 0; i + 1 < points.size(); ++i)
            for (double u = 0; u <= 1; u += 1.0 / 64) CHECK(1 + on_curve(points, slopes, i, u).slope > 0);
        for (std::size_t i = 0; i < slopes.size(); ++i)
            if (before[i] > -0.9 && before[i] < 0.4) CHECK(slopes[i] == before[i]); // chords are above 0.5
    }
}

TEST_CASE("a step is a gap whose drift its neighbors do not have") {
    std::mt19937_64 random{3};
    for (const double jump : {50e3, -50e3, 5e3}) {
        for (std::size_t gap = 1; gap < 5; ++gap) {
            auto points = points_on([](double x) { return 20e-6 * x; }, 7, random);
            for (std::size_t i = gap + 1; i < points.size(); ++i) points[i].offset += jump;
            const auto steps = steps_in(points);
            REQUIRE(steps.size() == 1);
            CHECK(steps[0].gap == gap);
            CHECK(steps[0].jump == Approx(jump));
            for (const double slope : three_point_slopes(without_steps(points, steps))) CHECK(slope == Approx(20e-6));
        }
    }
    for (std::size_t count = 1; count < 12; ++count) {
        CHECK(steps_in(points_on([](double x) { return 3e-16 * x * x; }, count, random)).empty());
        // Noise of the points.
        CHECK(steps_in(points_on([&](double) { return 200 * uniform(random); }, count, random)).empty());
    }
}

TEST_CASE("hard bounds hold whatever the messages took") {
    std::mt19937_64 random{4};
    for (int round = 0; round < 300; ++round) {
        const double offset = 1e6 * (uniform(random) - 0.5);
        const double drift = 1e-4 * (uniform(random) - 0.5);
        std::vector<Exchange> samples;
        for (int i = 0; i < 1 + round % 40; ++i)
            samples.push_back(exchange_of(offset, drift, 1e5 * i, 1e4 * uniform(random), 1e4 * uniform(random)));
        const auto point = condense_by_bounds(samples, {.rate = 0, .error = 1e-4, .resolution_ns = 1});
        REQUIRE(point);
        CHECK(std::abs(point->offset - offset - drift * point->local) <= point->bound * (1 + 1e-9) + 1e-6);
        CHECK(point->half_width <= point->bound);
        CHECK(point->contradiction == 0);
    }
    CHECK_FALSE(condense_by_bounds({}, {}));
    CHECK_FALSE(condense_by_mean({}));
}

TEST_CASE("of a round that contradicts itself the middle is taken, and how much is missing is said") {
    std::vector<Exchange> samples = {exchange_of(0, 0, 0, 100, 100), exchange_of(5'000, 0, 1'000, 100, 100)};
    samples[1].master_half_width = 7;
    const auto point = condense_by_bounds(samples, {});
    REQUIRE(point);
    CHECK(point->contradiction == Approx(4'800));
    CHECK(point->offset == Approx(2'500));
    CHECK(point->half_width >= 2'400);
}

TEST_CASE("a tenth of the samples is left out, those that took longest") {
    for (const std::size_t count : {1, 9, 10, 19, 20, 100}) {
        std::vector<Exchange> samples;
        for (std::size_t i = 0; i < count; ++i) // every delay occurs once, in no order
            samples.push_back(exchange_of(50, 0, 0, 10 + static_cast<double>(7 * i % count), 10));
        const auto kept = without_slowest_tenth(samples);
        CHECK(kept.size() == count - count / 10);
        for (const Exchange& sample : kept) CHECK(sample.round_trip() < 20 + static_cast<double>(kept.size()));
    }
    const auto mean =
        // With opposite asymmetries.
        condense_by_mean(std::vector{exchange_of(50, 0, 0, 10, 30), exchange_of(50, 0, 100, 30, 10)});
    REQUIRE(mean);
    CHECK(mean->offset == Approx(50));
    CHECK(mean->local == Approx(70));
}
