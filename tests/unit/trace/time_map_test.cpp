// Time maps as values: conversion in both directions, how exact they are where, and what no file may contain.
#include "tests/unit/made/catch.hpp"
#include "trace/time_map.hpp"

#include <cmath>
#include <limits>
#include <random>

using namespace tactus;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr GlobalTime last_time = std::numeric_limits<GlobalTime>::max();
constexpr GlobalTime first_time = std::numeric_limits<GlobalTime>::min();

// Knots about a second apart, on a wandering clock of `rate` nanoseconds a tick.
TimeMap some_map(std::mt19937_64& random, double rate) {
    TimeMap map{.fit = Fit::interval, .knots = {}, .drift_ppm = 0.5, .notes = {}};
    const auto part = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
    ClockKnot knot{.tick = random() >> 2U, .time = static_cast<GlobalTime>(random() >> 3U)};
    const std::size_t count = 1 + random() % 8;
    for (std::size_t i = 0; i < count; ++i) {
        knot.rate = rate * (1 + 1e-3 * (part() - 0.5));
        knot.half_width_ns = 100 * part();
        knot.bulge_ns = 100 * part();
        map.knots.push_back(knot);
        const double ticks = std::floor((0.1 + part()) * 1e9);
        knot.tick += static_cast<Ticks>(ticks);
        knot.time += time_of_ns(ticks * rate * (1 + 1e-3 * (part() - 0.5)));
    }
    return map;
}

TimeMap two_knots() {
    return {.fit = Fit::interval,
            .knots = {{.tick = 1'000, .time = 8'000, .rate = 1, .half_width_ns = 10, .bulge_ns = 5},
                      {.tick = 3'000, .time = 24'000, .rate = 1, .half_width_ns = 20, .bulge_ns = 0}},
            .drift_ppm = 1'000,
            .notes = {{ClockTrouble::step, 2'000, 50, 1}}};
}

template <class Change> bool sound_after(Change change) {
    TimeMap map = two_knots();
    change(map);
    return map.is_sound();
}

} // namespace

TEST_CASE("a tick comes back from its time, and a time from its tick") {
    std::mt19937_64 random{1};
    for (const double rate : {1.0, 1 / 2.7, 1 / 5.0, 1'000.0}) {
        for (int trial = 0; trial < 50; ++trial) {
            const TimeMap map = some_map(random, rate);
            REQUIRE(map.is_sound());
            for (int i = 0; i < 100; ++i) {
                const Ticks tick = map.knots[0].tick - 1'000'000'000 + random() % 9'000'000'000;
                CHECK(map.tick_at(map.at(tick)) == tick);
                const GlobalTime time = map.at(tick) + static_cast<GlobalTime>(random() % 8);
                const GlobalTime near = map.at(map.tick_at(time));
                CHECK(std::abs(to_ns(time - near)) <= 0.7 * rate + 0.125);
            }
            for (const ClockKnot& knot : map.knots) CHECK(map.at(knot.tick) == knot.time);
        }
    }
}

TEST_CASE("half-widths: straight from knot to knot, a bulge between, wider by the drift outside") {
    const TimeMap map = two_knots();
    CHECK(map.half_width_ns(1'000) == 10);
    CHECK(map.half_width_ns(3'000) == 20);
    CHECK(map.half_width_ns(2'000) == Approx(15 + 5));
    CHECK(map.half_width_ns(1'500) == Approx(12.5 + 0.75 * 5));
    CHECK(map.half_width_ns(0) == Approx(10 + 1));
    CHECK(map.half_width_ns(5'000) == Approx(20 + 2));
    CHECK(straight(5, 6, 1).half_width_ns(1'000'000) == 0);
}

TEST_CASE("the straight map is straight") {
    const TimeMap map = straight(1'000, 80, 0.5);
    CHECK(map.is_sound());
    CHECK(map.fit == Fit::raw);
    CHECK(map.at(1'000) == 80);
    CHECK(map.at(1'100) == 80 + 400);
    CHECK(map.at(900) == 80 - 400);
    CHECK(map.tick_at(80 - 400) == 900);
}

TEST_CASE("no file may say nonsense of a clock") {
    CHECK(sound_after([](TimeMap&) {}));
    CHECK_FALSE(TimeMap{}.is_sound());
    CHECK_FALSE(sound_after([](TimeMap& map) { map.fit = Fit{3}; }));
    CHECK_FALSE(sound_after([](TimeMap& map) { map.notes[0].trouble = ClockTrouble{8}; }));
    for (const double drift : {-1.0, nan_value, infinity})
        CHECK_FALSE(sound_after([&](TimeMap& map) { map.drift_ppm = drift; }));
    for (const double rate : {0.0, -1.0, 1e-7, 1e10, nan_value, infinity})
        for (const std::size_t knot : {0, 1})
            CHECK_FALSE(sound_after([&](TimeMap& map) { map.knots[knot].rate = rate; }));
    for (const double width : {-1.0, nan_value, infinity})
        for (const std::size_t knot : {0, 1}) {
            CHECK_FALSE(sound_after([&](TimeMap& map) { map.knots[knot].half_width_ns = width; }));
            CHECK_FALSE(sound_after([&](TimeMap& map) { map.knots[knot].bulge_ns = width; }));
        }
    for (const double amount : {nan_value, infinity})
        CHECK_FALSE(sound_after([&](TimeMap& map) { map.notes[0].amount_ns = amount; }));
    for (const Ticks tick : {Ticks{0}, Ticks{1'000}, (Ticks{1} << 63) + 1'000, ~Ticks{0}})
        CHECK_FALSE(sound_after([&](TimeMap& map) { map.knots[1].tick = tick; }));
    for (const GlobalTime time : {GlobalTime{0}, GlobalTime{8'000}, first_time, last_time})
        CHECK_FALSE(sound_after([&](TimeMap& map) { map.knots[1].time = time; }));
    CHECK_FALSE(sound_after([](TimeMap& map) { map.knots[0].time = first_time; }));
    CHECK_FALSE(sound_after([](TimeMap& map) { std::swap(map.knots[0], map.knots[1]); }));
}

TEST_CASE("a rate above three times the chord would let time run back") {
    for (const std::size_t knot : {0, 1}) {
        CHECK(sound_after([&](TimeMap& map) { map.knots[knot].rate = 2.999; }));
        CHECK_FALSE(sound_after([&](TimeMap& map) { map.knots[knot].rate = 3.001; }));
    }
    TimeMap steep = two_knots();
    for (ClockKnot& knot : steep.knots) knot.rate = 3;
    REQUIRE(steep.is_sound());
    for (Ticks tick = 0; tick < 4'000; ++tick) CHECK(steep.at(tick) <= steep.at(tick + 1));
}

TEST_CASE("far away time stands still at what fits") {
    std::mt19937_64 random{2};
    const GlobalTime most = time_of_ns(1e300);
    CHECK(time_of_ns(-1e300) == -most);
    CHECK(most > last_time / 16 * 15);
    for (const double rate : {1e-5, 0.3, 1.0, 1e6, 0.99e9}) {
        const TimeMap map = straight(Ticks{1} << 62U, 0, rate);
        CHECK(map.is_sound());
        CHECK(map.at((Ticks{1} << 63U) + 5) <= most);
        CHECK(map.at(0) >= -most);
        if (rate >= 1) CHECK(map.at((Ticks{1} << 63U) - 1) == most);
        for (int i = 0; i < 1'000; ++i) {
            static_cast<void>(map.tick_at(static_cast<GlobalTime>(random())));
            static_cast<void>(map.half_width_ns(random()));
        }
        for (const GlobalTime time : {first_time, last_time}) static_cast<void>(map.tick_at(time));
    }
}

TEST_CASE("knots at both ends of time") {
    constexpr GlobalTime most = 8'999'999'999'999'990'000;
    TimeMap map = two_knots();
    map.knots[0] = {.tick = 1'000, .time = -most, .rate = 1};
    map.knots[1] = {.tick = (Ticks{1} << 62U) + 1'000, .time = most, .rate = 0.1};
    REQUIRE(map.is_sound());
    CHECK(map.at((Ticks{1} << 61U) + 1'000) == Approx(0x1p62 * 8 * (1 - 0.1) / 8)); // half of the way, and the bend
    CHECK(map.at(0) >= -most - 8'000);
    CHECK(map.at(~Ticks{0} >> 1U) > most);
    GlobalTime before = map.at(1'000);
    for (Ticks tick = 1'000; tick < Ticks{1} << 62U; tick += Ticks{1} << 55U) {
        CHECK(map.at(tick) >= before);
        before = map.at(tick);
        CHECK(map.at(map.tick_at(before)) == before);
    }
    // The distance is greater than any time can be.
    const TimeMap late{.fit = Fit::raw, .knots = {{.tick = 0, .time = -most, .rate = 1}}, .drift_ppm = 0, .notes = {}};
    CHECK(late.at(2'000'000'000'000'000'000) == Approx(16e18 - 9e18).epsilon(1e-9));
    CHECK(late.tick_at(7'000'000'000'000'000'000) == Approx(2e18).epsilon(1e-9));
}
