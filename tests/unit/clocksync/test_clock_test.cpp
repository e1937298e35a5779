// VT_TEST_CLOCK: what it accepts, how it rejects the rest, and that clocks go wrong as requested.
#include "base/options/clock_error.hpp"
#include "clocksync/test_clock.hpp"
#include "tests/unit/made/catch.hpp"

#include <cmath>
#include <numbers>
#include <random>

using namespace tactus;

namespace {

// How far the clock of a rank is ahead, t seconds after the start, in ns.
double ahead(const std::string& option, double seconds, std::uint32_t rank = 2) {
    const auto error = clock_error_of(option, rank);
    INFO(option);
    REQUIRE(error);
    return error->ns(seconds * 1e9);
}

} // namespace

TEST_CASE("test clocks: every key") {
    CHECK(ahead("2:offset=1ms", 5) == 1e6);
    CHECK(ahead("2:offset=-30us", 5) == -30e3);
    CHECK(ahead("2:offset=1ms+5c", 5) == 1'005'000);
    CHECK(ahead("2:ppm=20", 5) == Approx(100e3));
    CHECK(ahead("2:ppm=-0.5ppm", 5) == Approx(-2.5e3));
    CHECK(ahead("2:ppm=+20", 5) == Approx(100e3));
    CHECK(ahead("2:sine=20us/40s", 10) == Approx(20e3));
    CHECK(ahead("2:sine=20us/40s", 5) == Approx(20e3 * std::sin(std::numbers::pi / 4)));
    CHECK(ahead("2:sine=-20us/40s", 10) == Approx(-20e3));
    CHECK(ahead("2:slew=5ppm@3s", 3) == 0);
    CHECK(ahead("2:slew=5ppm@3s", 5) == Approx(10e3));
    CHECK(ahead("2:slew=5ppm@3s", -5) == 0);
    CHECK(ahead("2:step=50us@4s", 3.999'999) == 0);
    CHECK(ahead("2:step=50us@4s", 4) == 50e3);
    CHECK(ahead("2:step=-50us@-4s", 0) == -50e3);
    CHECK(clock_error_of("2:host=b,offset=3", 2)->host() == "b");
    CHECK(clock_error_of("2:offset=3", 2)->host().empty());
}

TEST_CASE("test clocks: everything adds up") {
    const std::string option =
        "2: offset=1ms, ppm=20 ,sine=20us/40s,slew=5ppm@3s,slew=-10ppm@4s,step=50us@4s,step=1us@5s,host=x";
    CHECK(ahead(option, 0) == Approx(1e6));
    CHECK(ahead(option, 6) ==
          Approx(1e6 + 120e3 + 20e3 * std::sin(2 * std::numbers::pi * 6 / 40) + 15e3 - 20e3 + 50e3 + 1e3));
    CHECK(clock_error_of(option, 2)->host() == "x");
}

TEST_CASE("test clocks: whose") {
    const std::string option = "*:offset=1;1-3:offset=2;2:offset=3; 7 : offset=4 ;5:";
    const double expected[] = {1e9, 2e9, 3e9, 2e9, 1e9, 0, 1e9, 4e9, 1e9};
    for (std::uint32_t rank = 0; rank < 9; ++rank) CHECK(ahead(option, 1, rank) == expected[rank]);
    CHECK(clock_error_of(option, 5)->empty());
    CHECK_FALSE(clock_error_of(option, 4)->empty());
    CHECK(ahead("2:offset=3;*:offset=1", 1) == 1e9); // only the last entry applies
    CHECK(ahead("2:offset=3;*:ppm=1", 1) == Approx(1e3));
    CHECK(ahead("2-2:offset=3", 1) == 3e9);
    for (const char* nobody : {"", " "}) {
        const auto error = clock_error_of(nobody, 2);
        REQUIRE(error);
        CHECK(error->empty());
    }
}

TEST_CASE("test clocks: what is not understood is quoted, beside what is") {
    for (const char* wrong :
         {"x:offset=1",     "3-1:offset=1",      "-1:offset=1",     ":offset=1",    "1-:offset=1",    "2:speed=3",
          "2:offset",       "2:offset=",         "2:offset=1ms@3s", "2:offset=--1", "2:ppm=",         "2:ppm=fast",
          "2:ppm=nan",      "2:ppm=inf",         "2:ppm=20@1s",     "2:sine=20us",  "2:sine=20us/0s", "2:sine=20us/-3s",
          "2:sine=20us@3s", "2:slew=5ppm",       "2:slew=5ppm@",    "2:slew=@3s",   "2:step=50us",    "2:step=50us/3s",
          "2:host=",        "2:offset=1,,ppm=2", "9:offset=banana"}) {
        INFO(wrong);
        for (const std::uint32_t rank : {2, 0}) { // also for a rank that the wrong entry is not about
            const auto error = clock_error_of(wrong, rank);
            REQUIRE_FALSE(error);
            CHECK_THAT(error.error().what, Contains("is not RANKS:offset=1ms,ppm=20,sine=20us/40s,slew=5ppm@3s"));
        }
    }
    CHECK_THAT(clock_error_of("0:ppm=1;2:offset=1,speed=3", 0).error().what, Contains("'speed=3'"));
    CHECK_THAT(clock_error_of("x:ppm=1", 0).error().what, Contains("'x:ppm=1'"));
}

TEST_CASE("the truth comes back from what a wrong clock shows") {
    std::mt19937_64 random{1};
    for (const char* function : {"offset=1ms,ppm=20", "offset=-3s,ppm=-200,sine=1ms/10s",
                                 "slew=500ppm@1s,slew=-500ppm@3s", "sine=20us/40s,slew=5ppm@2s", ""}) {
        for (const double ns_per_tick : {1.0, 1 / 2.7}) {
            const TestClock wrong{.function = function, .origin = 1'000'000'000'000, .ns_per_tick = ns_per_tick};
            for (int i = 0; i < 500; ++i) {
                const Ticks truth = wrong.origin + random() % 100'000'000'000;
                INFO(function << " at " << truth - wrong.origin);
                const Ticks shown = shown_tick(wrong, truth);
                const auto error = static_cast<double>(static_cast<std::int64_t>(shown - truth)) * ns_per_tick;
                const double at = static_cast<double>(truth - wrong.origin) * ns_per_tick;
                CHECK(error == Approx(ClockError::parse(function)->ns(at)).margin(ns_per_tick));
                const auto off = static_cast<std::int64_t>(true_tick(wrong, shown) - truth);
                CHECK(std::abs(off) <= 1);
            }
        }
    }
    // After a step forward, no true time shows the skipped times: they belong to the moment of the step, or are near
    // it.
    const TestClock stepped{.function = "step=50us@4s", .origin = 0, .ns_per_tick = 1};
    CHECK(true_tick(stepped, 3'999'999'999) == 3'999'999'999);
    CHECK(true_tick(stepped, 4'000'050'000) == 4'000'000'000);
}
