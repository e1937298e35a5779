#include "bench/made_clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace tactus {
namespace {

constexpr double second_ns = 1e9;
constexpr auto profile_names = std::to_array<std::string_view>({"right", "constant", "thermal", "slew", "step"});

double between(std::mt19937_64& random, double low, double high) { return low + (high - low) * uniform(random); }

template <class... Values> std::string text(const char* format, Values... values) {
    std::array<char, 128> room{};
    std::snprintf(room.data(), room.size(), format, values...);
    return room.data();
}

std::string slews(std::mt19937_64& random, double seconds) {
    std::string list;
    double rate = 0;
    // The list is longer than `seconds`, because a run may take longer.
    for (double at = 0; at < 2 * seconds; at += between(random, 5, 15)) {
        const double next = between(random, -5, 5);
        list += text(",slew=%.6f@%.0fns", next - rate, at * second_ns);
        rate = next;
    }
    return list;
}

ClockError parsed(const TestClock& wrong) {
    auto error = ClockError::parse(wrong.function);
    return error ? std::move(*error) : ClockError{};
}

double signed_ns(Ticks from, Ticks to) { return static_cast<double>(static_cast<std::int64_t>(to - from)); }

} // namespace

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }
double exponential(std::mt19937_64& random, double mean) { return -mean * std::log1p(-uniform(random)); }

std::optional<ClockProfile> clock_profile(std::string_view name) {
    const auto found = std::find(profile_names.begin(), profile_names.end(), name);
    if (found == profile_names.end()) return {};
    return static_cast<ClockProfile>(found - profile_names.begin());
}

MadeClock::MadeClock(TestClock wrong)
    : wrong_{std::move(wrong)}, error_{parsed(wrong_)}, origin_ns_{signed_ns(made_run_start, wrong_.origin)} {}

double MadeClock::ahead_ns(double true_ns) const { return error_.empty() ? 0 : error_.ns(true_ns - origin_ns_); }

Ticks MadeClock::shown(double true_ns) const {
    return made_run_start + static_cast<Ticks>(std::llround(true_ns + ahead_ns(true_ns)));
}

double MadeClock::true_ns(Ticks shown) const {
    const double all = signed_ns(made_run_start, shown);
    double guess = all;
    // The first guess is at most about 1 ms off, and each step makes it 20,000 times more accurate.
    for (int look = 0; look < 4; ++look) guess = all - ahead_ns(guess);
    return guess;
}

MadeClock made_clock(ClockProfile profile, std::uint64_t seed, std::uint32_t host, double seconds) {
    TestClock wrong{.function = {}, .origin = made_run_start, .ns_per_tick = 1};
    if (host == 0 || profile == ClockProfile::right) return MadeClock{wrong};
    std::mt19937_64 random{seed * 1'000'003 + host};
    wrong.function =
        text("offset=%.0fns,ppm=%.6f", between(random, -1e6, 1e6), between(random, -20, 20)); // see `constant`
    if (profile == ClockProfile::thermal) {
        const double period = between(random, 40, 90) * second_ns;
        wrong.function += text(",sine=20us/%.0fns", period);
        wrong.origin -= static_cast<Ticks>(uniform(random) * period); // The run begins anywhere in a period.
    }
    if (profile == ClockProfile::slew) wrong.function += slews(random, seconds);
    if (profile == ClockProfile::step)
        wrong.function += text(",step=50us@%.0fns", between(random, 0.2, 0.8) * seconds * second_ns);
    return MadeClock{wrong};
}

SyncRound made_round(const MadeClock& clock, const MadeClock& master, double true_ns, std::mt19937_64& random) {
    const auto delay = [&](double least) {
        constexpr double noise_ns = 30;
        constexpr double late = 0.01; // share of messages that find their receiver busy
        constexpr double latest_ns = 50'000;
        return least + exponential(random, noise_ns) + (uniform(random) < late ? latest_ns * uniform(random) : 0);
    };
    constexpr double there_ns = 1012; // a systematic error of 12 ns, as measured between processes of one host
    constexpr double back_ns = 988;
    constexpr double pause_ns = 300;
    constexpr int samples = 100;
    SyncRound round;
    for (int i = 0; i < samples; ++i) {
        const double there = true_ns + delay(there_ns);
        const double back = there + delay(back_ns);
        round.samples.push_back({clock.shown(true_ns), master.shown(there), clock.shown(back)});
        true_ns = back + pause_ns;
    }
    return round;
}

} // namespace tactus
