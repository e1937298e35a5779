#include "base/ticks.hpp"

#include <cpuid.h>
#include <fcntl.h>
#include <numeric>
#include <string_view>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

std::int64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool invariant_tsc() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned advanced_power_management = 0x80000007;
    constexpr unsigned invariant_bit = 1U << 8;
    return __get_cpuid(advanced_power_management, &a, &b, &c, &d) != 0 && (d & invariant_bit) != 0;
}

// A virtual machine may hide the bit although the kernel, which knows its host, keeps time by the TSC.
bool kernel_uses_tsc() {
    const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[16] = {};
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    return size > 0 && std::string_view{text}.starts_with("tsc");
}

} // namespace

Timer best_timer() { return invariant_tsc() || kernel_uses_tsc() ? Timer::tsc : Timer::monotonic; }

constinit Timer detail::timer = Timer::tsc;
Ticks detail::monotonic_ns() { return static_cast<Ticks>(clock_ns(CLOCK_MONOTONIC)); }
void choose_timer(Timer timer) { detail::timer = timer; }

Ticks timer_step() {
    constexpr int reads = 64;
    const Ticks first = now();
    Ticks step = 0;
    for (int i = 0; i < reads; ++i) {
        for (volatile int pause = i; pause > 0;) pause = pause - 1; // else they would be equally far apart
        step = std::gcd(step, now() - first);
    }
    return step == 0 ? 1 : step;
}

Anchor read_anchor() {
    Anchor best;
    Ticks narrowest = ~Ticks{0};
    for (int attempt = 0; attempt < 5; ++attempt) {
        const Ticks before = now();
        const std::int64_t monotonic = clock_ns(CLOCK_MONOTONIC);
        const Ticks after = now();
        const std::int64_t realtime = clock_ns(CLOCK_REALTIME);
        if (after - before >= narrowest) continue;
        narrowest = after - before;
        best = {before + (after - before) / 2, monotonic, realtime};
    }
    return best;
}

} // namespace tactus
