// Timers: each can be chosen, runs forward, and tells its resolution.
#include "base/ticks.hpp"
#include "tests/unit/made/catch.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <time.h>

using namespace tactus;

namespace {

// Restores the timer that was chosen before, so that a test's choice does not affect the other tests.
class ChosenTimer {
  public:
    explicit ChosenTimer(Timer timer, ReadSeconds wtime = nullptr) {
        choose_timer(timer);
        if (wtime != nullptr) use_wtime(wtime);
    }
    ~ChosenTimer() {
        use_wtime(nullptr);
        choose_timer(before_);
    }
    ChosenTimer(const ChosenTimer&) = delete;
    ChosenTimer& operator=(const ChosenTimer&) = delete;

  private:
    Timer before_ = chosen_timer();
};

double in_steps_of_16_us() { return std::floor(static_cast<double>(monotonic_ns()) / 16'000) * 16'000e-9; }

constexpr auto all_timers = {Timer::tsc,           Timer::cntvct,       Timer::monotonic,
                             Timer::monotonic_raw, Timer::gettimeofday, Timer::mpi_wtime};

} // namespace

TEST_CASE("every timer can be chosen and read, and does not run back") {
    for (const Timer timer : all_timers) {
        const ChosenTimer chosen{timer, in_steps_of_16_us};
        INFO(name_of(timer));
        CHECK(chosen_timer() == timer);
        const Ticks first = now();
        Ticks last = first;
        int back = 0;
        for (int i = 0; i < 20'000 || last == first; ++i) {
            const Ticks tick = now();
            back += tick < last ? 1 : 0;
            last = tick;
        }
        CHECK(back == 0);
        CHECK(last > first);
        CHECK(true_now() >= last);
    }
    CHECK(name_of(Timer::monotonic_raw) == std::string{"CLOCK_MONOTONIC_RAW"});
    CHECK(name_of(Timer{99}) == std::string{"unknown"});
}

TEST_CASE("timers but the processor's counter count nanoseconds") {
    for (const Timer timer : all_timers) {
        if (timer == processor::counter) continue;
        const ChosenTimer chosen{timer, in_steps_of_16_us};
        INFO(name_of(timer));
        const std::int64_t began = monotonic_ns();
        const Ticks first = now();
        while (monotonic_ns() - began < 2'000'000) {
        }
        const auto ticks = static_cast<double>(now() - first);
        const auto ns = static_cast<double>(monotonic_ns() - began);
        CHECK(ticks > 0.9 * 2e6);
        CHECK(ticks < 1.1 * ns + 32e3);
    }
}

TEST_CASE("the resolution of a timer is at least a tick, and its step divides it") {
    for (const Timer timer : all_timers) {
        const ChosenTimer chosen{timer, in_steps_of_16_us};
        INFO(name_of(timer));
        const Ticks resolution = timer_resolution();
        CHECK(resolution >= 1);
        CHECK(timer_step() >= 1);
        if (timer == Timer::gettimeofday) CHECK(resolution % 1'000 == 0);
        // Seconds as a double have this resolution.
        if (timer == Timer::mpi_wtime) CHECK(std::llabs(static_cast<long long>(resolution) - 16'000) < 200);
    }
}

// Stamps of a lane that would be equal are made different by one tick, which must not be long.
TEST_CASE("ticks of the processor's counter are shorter than a nanosecond") {
    const ChosenTimer chosen{processor::counter};
    const Anchor begin = read_anchor();
    while (monotonic_ns() - begin.monotonic_ns < 2'000'000) {
    }
    CHECK(ns_per_tick(processor::counter, begin, read_anchor()) < 1);
}

TEST_CASE("nanoseconds a tick, of whatever anchors") {
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    const Anchor begin{1'000, 500, 0};
    CHECK(ns_per_tick(Timer::tsc, begin, {4'000, 1'500, 0}) == Approx(1.0 / 3));
    CHECK(ns_per_tick(Timer::cntvct, begin, {4'000, 1'500, 0}) == Approx(1.0 / 3));
    CHECK(ns_per_tick(Timer::monotonic, begin, {4'000, 1'500, 0}) == 1);
    CHECK(ns_per_tick(Timer::tsc, begin, begin) == 1);
    CHECK(ns_per_tick(Timer::tsc, begin, {1'000, 600, 0}) == 1);
    CHECK(ns_per_tick(Timer::tsc, begin, {4'000, 500, 0}) == 1);
    CHECK(ns_per_tick(Timer::tsc, begin, {1'000'000'000'000, 501, 0}) == 1); // no timer is so fast
    CHECK(ns_per_tick(Timer::tsc, begin, {900, 600, 0}) == 1);
    CHECK(ns_per_tick(Timer::tsc, begin, {4'000, 400, 0}) == 1);
    for (const Anchor& end : {Anchor{~Ticks{0}, highest, 0}, Anchor{1'001, highest, 0}, Anchor{~Ticks{0}, 501, 0}}) {
        const double rate = ns_per_tick(Timer::tsc, {1'000, lowest, 0}, end);
        CHECK(rate > 0);
        CHECK(std::isfinite(rate));
    }
    CHECK(ns_between(lowest, highest) == Approx(0x1p64));
    CHECK(ns_between(highest, lowest) == Approx(-0x1p64));
    CHECK(ns_between(5, 3) == -2);
}

TEST_CASE("an anchor is one instant on three clocks") {
    for (const Timer timer : {Timer::monotonic, processor::counter}) {
        const ChosenTimer chosen{timer};
        const Ticks before = now();
        const std::int64_t monotonic = monotonic_ns();
        const Anchor anchor = read_anchor();
        CHECK(before <= anchor.tick);
        CHECK(anchor.tick <= now());
        CHECK(monotonic <= anchor.monotonic_ns);
        CHECK(anchor.monotonic_ns <= monotonic_ns());
        if (timer == Timer::monotonic)
            CHECK(std::abs(static_cast<double>(anchor.tick) - static_cast<double>(anchor.monotonic_ns)) < 1e6);
    }
}

TEST_CASE("MPI_Wtime goes on from CLOCK_MONOTONIC and back to it without a jump") {
    const ChosenTimer chosen{Timer::mpi_wtime};
    const auto since = [](Ticks before) { return static_cast<std::int64_t>(now() - before); };
    const Ticks before = now();
    use_wtime([] { return 12.5 + 1e-9 * static_cast<double>(monotonic_ns() % 1'000'000'000'000); });
    CHECK(since(before) >= 0);
    CHECK(since(before) < 100'000'000);
    const Ticks inside = now();
    use_wtime(nullptr);
    CHECK(since(inside) > -1000); // rounding of seconds as a double
    CHECK(since(inside) < 100'000'000);
}
