#include "base/ticks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <sys/time.h>
#include <time.h>

namespace tactus {
namespace {

std::int64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

} // namespace

std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

Timer best_timer() { return processor::is_counter_steady() ? processor::counter : Timer::monotonic; }

const char* name_of(Timer timer) {
    const auto index = static_cast<std::size_t>(timer);
    return index < timer_names.size() ? timer_names[index] : "unknown";
}

constinit ReadTicks detail::reader = nullptr;

namespace {

constinit Timer timer = processor::counter;
constinit std::atomic<ReadSeconds> mpi_wtime{nullptr};
constinit std::atomic<Ticks> wtime_shift{0}; // added to readings, so that time goes on when the source changes
constinit ReadTicks true_reader = nullptr;   // the value of `reader` from before the clocks were made wrong
constinit ErrorAt clock_error = nullptr;
constinit double true_ns_per_tick = 1;

// These call libc's symbols, so that a library that interposes them takes effect.
Ticks read_monotonic() { return static_cast<Ticks>(monotonic_ns()); }
Ticks read_monotonic_raw() { return static_cast<Ticks>(clock_ns(CLOCK_MONOTONIC_RAW)); }
Ticks read_gettimeofday() {
    timeval time{};
    gettimeofday(&time, nullptr);
    return static_cast<Ticks>(time.tv_sec) * 1'000'000'000 + static_cast<Ticks>(time.tv_usec) * 1000;
}
Ticks read_wtime() {
    const ReadSeconds wtime = mpi_wtime.load(std::memory_order_acquire); // pairs with use_wtime()
    return wtime_shift.load(std::memory_order_relaxed) +
           (wtime != nullptr ? static_cast<Ticks>(wtime() * 1e9) : read_monotonic());
}

ReadTicks reader_of(Timer which) {
    switch (which) {
    case Timer::monotonic:
        return read_monotonic;
    case Timer::monotonic_raw:
        return read_monotonic_raw;
    case Timer::gettimeofday:
        return read_gettimeofday;
    case Timer::mpi_wtime:
        return read_wtime;
    case Timer::tsc:
    case Timer::cntvct:
        break;
    }
    return is_here(which) ? nullptr : read_monotonic;
}

Ticks read_wrong() {
    const Ticks tick = true_now();
    return tick + static_cast<Ticks>(std::llround(clock_error(tick) / true_ns_per_tick));
}

} // namespace

void choose_timer(Timer which) {
    processor::prepare_counter();
    timer = which;
    detail::reader = reader_of(which);
}

void use_wtime(ReadSeconds wtime) {
    const Ticks before = read_wtime();
    const Ticks fresh = wtime != nullptr ? static_cast<Ticks>(wtime() * 1e9) : read_monotonic();
    wtime_shift.store(before - fresh, std::memory_order_relaxed);
    mpi_wtime.store(wtime, std::memory_order_release); // pairs with read_wtime()
}
Timer chosen_timer() { return timer; }

Ticks read_timer(Timer which) {
    const ReadTicks read = reader_of(which);
    return read != nullptr ? read() : processor::count();
}

void make_clocks_wrong(ErrorAt error, double ns_per_tick) {
    true_reader = detail::reader;
    clock_error = error;
    true_ns_per_tick = ns_per_tick;
    detail::reader = read_wrong;
}

Ticks true_now() {
    const ReadTicks read = clock_error != nullptr ? true_reader : detail::reader;
    return read != nullptr ? read() : processor::count();
}

Ticks timer_step() {
    constexpr int reads = 64;
    const Ticks first = now();
    Ticks step = 0;
    for (int i = 0; i < reads; ++i) {
        for (volatile int pause = i; pause > 0;) pause = pause - 1; // so that the reads are not equally far apart
        step = std::gcd(step, now() - first);
    }
    return step == 0 ? 1 : step;
}

double ns_between(std::int64_t begin_ns, std::int64_t end_ns) {
    std::int64_t ns = 0;
    return __builtin_sub_overflow(end_ns, begin_ns, &ns) ? static_cast<double>(end_ns) - static_cast<double>(begin_ns)
                                                         : static_cast<double>(ns);
}

double ns_per_tick(Timer which, const Anchor& begin, const Anchor& end) {
    if (!is_counter(which) || end.tick <= begin.tick || end.monotonic_ns <= begin.monotonic_ns) return 1;
    const double rate = ns_between(begin.monotonic_ns, end.monotonic_ns) / static_cast<double>(end.tick - begin.tick);
    return rate > least_ns_per_tick && rate < most_ns_per_tick ? rate : 1;
}

Ticks timer_resolution() {
    std::array<Ticks, 101> steps{};
    int patience = 1'000'000; // ends the loops when the clock stands still
    for (Ticks& step : steps) {
        const Ticks first = now();
        Ticks next = now();
        while (next == first && --patience > 0) next = now(); // a coarse clock gives the same value several times
        step = next > first ? next - first : 1;
    }
    std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
    return steps[steps.size() / 2];
}

Anchor read_anchor() {
    Anchor best;
    Ticks narrowest = ~Ticks{0};
    for (int attempt = 0; attempt < 5; ++attempt) {
        const Ticks before = true_now();
        const std::int64_t monotonic = monotonic_ns();
        const Ticks after = true_now();
        const std::int64_t realtime = clock_ns(CLOCK_REALTIME);
        if (after - before >= narrowest) continue;
        narrowest = after - before;
        best = {before + (after - before) / 2, monotonic, realtime};
    }
    if (clock_error == nullptr) return best;
    const double error = clock_error(best.tick);
    const std::int64_t error_ns = std::llround(error);
    return {best.tick + static_cast<Ticks>(std::llround(error / true_ns_per_tick)), best.monotonic_ns + error_ns,
            best.realtime_ns + error_ns};
}

} // namespace tactus
