// Compares Intel's fit with a second, different implementation: the cubics a + b x + c x^2 + d x^3 of Kruger's
// "Constrained Cubic Spline Interpolation" (2003), in long double, over nanoseconds since the first sample.
#include "tests/unit/clocksync/simulated_clock.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tactus;

namespace {

using Real = long double;

struct Pair { // the same moment on both clocks
    Real x;
    Real y;
};

Real since(Ticks from, Ticks to) { return static_cast<Real>(static_cast<std::int64_t>(to - from)); }

// The nine tenths of a round's samples that were quickest.
std::vector<Pair> quick_pairs(const SyncRound& round, const SyncSample& zero) {
    std::vector<SyncSample> samples = round.samples;
    std::stable_sort(samples.begin(), samples.end(), [](const SyncSample& a, const SyncSample& b) {
        return a.received - a.sent < b.received - b.sent;
    });
    samples.resize(samples.size() - samples.size() / 10);
    std::vector<Pair> pairs;
    for (const SyncSample& s : samples)
        pairs.push_back({(since(zero.sent, s.sent) + since(zero.sent, s.received)) / 2, since(zero.master, s.master)});
    return pairs;
}

Pair mean_of(const std::vector<Pair>& pairs) {
    Pair sum{};
    for (const Pair& pair : pairs) sum = {sum.x + pair.x, sum.y + pair.y};
    return {sum.x / static_cast<Real>(pairs.size()), sum.y / static_cast<Real>(pairs.size())};
}

struct Cubic {
    Real a = 0, b = 0, c = 0, d = 0;
    [[nodiscard]] Real at(Real x) const { return a + x * (b + x * (c + x * d)); }
    [[nodiscard]] Real slope(Real x) const { return b + x * (2 * c + 3 * d * x); }
};

Cubic regression(const std::vector<Pair>& pairs) {
    Real x = 0, y = 0, xx = 0, xy = 0;
    const auto n = static_cast<Real>(pairs.size());
    for (const Pair& pair : pairs) {
        x += pair.x;
        y += pair.y;
        xx += pair.x * pair.x;
        xy += pair.x * pair.y;
    }
    const Real slope = (n * xy - x * y) / (n * xx - x * x);
    return {.a = (y - slope * x) / n, .b = slope};
}

Cubic cubic_between(const Pair& l, const Pair& r, Real left_slope, Real right_slope) {
    const Real h = r.x - l.x;
    const Real rise = r.y - l.y;
    const Real left_bend = -2 * (right_slope + 2 * left_slope) / h + 6 * rise / (h * h);
    const Real right_bend = 2 * (2 * right_slope + left_slope) / h - 6 * rise / (h * h);
    Cubic cubic;
    cubic.d = (right_bend - left_bend) / (6 * h);
    cubic.c = (r.x * left_bend - l.x * right_bend) / (2 * h);
    cubic.b = (rise - cubic.c * (r.x * r.x - l.x * l.x) - cubic.d * (r.x * r.x * r.x - l.x * l.x * l.x)) / h;
    cubic.a = l.y - l.x * (cubic.b + l.x * (cubic.c + l.x * cubic.d));
    return cubic;
}

class Kruger {
  public:
    explicit Kruger(std::vector<Pair> pairs) : pairs_{std::move(pairs)} {
        std::vector<Real> chords;
        for (std::size_t i = 1; i < pairs_.size(); ++i)
            chords.push_back((pairs_[i].y - pairs_[i - 1].y) / (pairs_[i].x - pairs_[i - 1].x));
        std::vector<Real> slopes(pairs_.size());
        const std::size_t n = chords.size();
        for (std::size_t i = 1; i < n; ++i)
            slopes[i] = chords[i - 1] * chords[i] <= 0 ? 0 : 2 / (1 / chords[i - 1] + 1 / chords[i]);
        slopes[0] = Real{1.5} * chords[0] - slopes[1] / 2;
        slopes[n] = Real{1.5} * chords[n - 1] - slopes[n - 1] / 2;
        for (std::size_t i = 0; i < n; ++i)
            cubics_.push_back(cubic_between(pairs_[i], pairs_[i + 1], slopes[i], slopes[i + 1]));
    }
    [[nodiscard]] Real at(Real x) const {
        if (x < pairs_.front().x) return straight_on(cubics_.front(), pairs_.front().x, x);
        for (std::size_t i = 0; i < cubics_.size(); ++i)
            if (x < pairs_[i + 1].x) return cubics_[i].at(x);
        return straight_on(cubics_.back(), pairs_.back().x, x);
    }

  private:
    static Real straight_on(const Cubic& cubic, Real from, Real x) {
        return cubic.at(from) + cubic.slope(from) * (x - from);
    }
    std::vector<Pair> pairs_;
    std::vector<Cubic> cubics_;
};

// Compares at moments from before the first round until after the last.
template <class Expected> void compare(const ClockFacts& facts, const Expected& expected) {
    const SyncSample& zero = facts.rounds[0].samples[0];
    const TimeMap map = fitted(Fit::itac, facts).map;
    const auto first = to_ns(true_master().at(zero.master));
    const Ticks begin = facts.anchors.front().tick - 2'000'000'000;
    const Ticks step = (facts.anchors.back().tick - begin) / 400;
    for (Ticks tick = begin; tick <= facts.anchors.back().tick; tick += step) {
        const auto wanted = static_cast<double>(expected.at(since(zero.sent, tick)));
        CHECK(to_ns(map.at(tick)) - first == Approx(wanted).margin(0.25).epsilon(0));
    }
}

SimulatedClock wandering(std::mt19937_64& random) {
    SimulatedClock clock;
    const double drift = 1e-4 * (uniform(random) - 0.5);
    const double turn = 2 * std::numbers::pi / (20e9 + 70e9 * uniform(random));
    clock.ahead = [=](double t) { return 1e6 + drift * t + 20e3 * std::sin(turn * t); };
    return clock;
}

} // namespace

TEST_CASE("itac: two rounds make the regression line of all samples but the slowest tenths") {
    std::mt19937_64 random{1};
    for (const int samples : {1, 9, 10, 100}) {
        for (int trial = 0; trial < 5; ++trial) {
            const ClockFacts facts = simulated_facts(wandering(random), {.samples = samples}, {0, 20e9}, random());
            const SyncSample& zero = facts.rounds[0].samples[0];
            std::vector<Pair> pairs = quick_pairs(facts.rounds[0], zero);
            for (const Pair& pair : quick_pairs(facts.rounds[1], zero)) pairs.push_back(pair);
            compare(facts, regression(pairs));
        }
    }
}

TEST_CASE("itac: more rounds make Kruger's constrained spline through their means") {
    std::mt19937_64 random{2};
    for (std::size_t rounds = 3; rounds < 25; ++rounds) {
        std::vector<double> moments = {0};
        while (moments.size() < rounds) moments.push_back(moments.back() + second_ns * (0.2 + 3 * uniform(random)));
        const ClockFacts facts = simulated_facts(wandering(random), {}, moments, random());
        std::vector<Pair> means;
        for (const SyncRound& round : facts.rounds)
            means.push_back(mean_of(quick_pairs(round, facts.rounds[0].samples[0])));
        compare(facts, Kruger{means});
    }
}
