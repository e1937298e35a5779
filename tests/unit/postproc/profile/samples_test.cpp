// What samples say of shares of time, against shares that are known by construction.
#include "postproc/profile/samples.hpp"
#include "tests/unit/made/catch.hpp"

#include <random>

using namespace tactus;

TEST_CASE("samples: intervals of shares are those of Wilson") {
    const auto check = [](double share, double samples, double low, double high) {
        const ShareInterval interval = share_interval(share, samples);
        CHECK(100 * interval.low == Approx(low).margin(0.05));
        CHECK(100 * interval.high == Approx(high).margin(0.05));
    };
    check(0.1, 100, 5.5, 17.4);
    check(0.1, 1000, 8.3, 12.0);
    check(0.5, 100, 40.4, 59.6);
    check(0, 10, 0, 27.8);
    check(1, 10, 72.2, 100);
    CHECK(share_interval(0.5, 0).high == 1); // nothing is known
}

// A thread is in one function for a while, then in another, and is looked at every 10 ms or so. True shares of all
// sizes lie in the interval in 95 of 100 runs; of 1,000, but for what chance does (1.5 standard deviations).
TEST_CASE("samples: planted shares lie in the interval that is stated") {
    constexpr double period_s = 0.01;
    for (const double planted : {0.05, 0.3, 0.5, 0.9}) {
        int right = 0;
        for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
            std::mt19937 random{seed};
            std::exponential_distribution<double> pieces{1 / 0.004}; // of 4 ms on average
            double time = 0;
            double inside = 0; // how long the thread was in the first function
            double next = period_s * std::uniform_real_distribution<double>{0, 1}(random);
            std::uint64_t all = 0;
            std::uint64_t hits = 0;
            while (time < 5) {
                const double in_first = planted * pieces(random);
                const double in_second = (1 - planted) * pieces(random);
                for (; next < time + in_first + in_second; next += 0.997 * period_s) {
                    ++all;
                    hits += next < time + in_first ? 1 : 0;
                }
                inside += in_first;
                time += in_first + in_second;
            }
            const auto samples = static_cast<double>(all);
            const ShareInterval interval = share_interval(static_cast<double>(hits) / samples, samples);
            right += interval.low <= inside / time && inside / time <= interval.high ? 1 : 0;
        }
        CHECK(right >= 940);
    }
}

TEST_CASE("samples: a function stands out where its share is certainly the largest") {
    CHECK(standing_out(0.7, 0.3, 100));
    CHECK_FALSE(standing_out(0.52, 0.48, 100));
    CHECK(standing_out(0.52, 0.48, 100'000));
    CHECK(standing_out(0.52, 0, 8)); // there is no other
}

TEST_CASE("samples: of samples that stand for different times fewer would say as much") {
    SampleSum equal;
    for (int i = 0; i < 50; ++i) equal.add(0.004);
    CHECK(equal.effective() == Approx(50));
    SampleSum other = equal;
    other.add(100);
    CHECK(other.effective() == Approx(1).epsilon(0.01));
    equal.add(other);
    CHECK(equal.samples == 101);
    CHECK(equal.seconds == Approx(100.4));
    CHECK(SampleSum{}.effective() == 0);
}

TEST_CASE("samples: places that say nothing of the program") {
    const auto compiled = [](const char* file) { return is_of_system({file, "", 1}); };
    CHECK(compiled("/lib/x86_64-linux-gnu/libc.so.6"));
    CHECK(compiled("/usr/lib/libmpi.so.40"));
    CHECK(compiled("/usr/bin/python3.11"));
    CHECK(compiled("/usr/lib/python3.11/lib-dynload/_struct.so"));
    CHECK(compiled("/env/lib/python3.12/site-packages/numpy.libs/libopenblas64_p.so"));
    CHECK_FALSE(compiled("/env/lib/python3.12/site-packages/my_solver/kernel.so"));
    CHECK_FALSE(compiled("/home/me/solve"));
    const auto script = [](const char* file) { return is_of_system({file, "", 1, "f"}); };
    CHECK(script("<frozen importlib._bootstrap>"));
    CHECK(script("/usr/lib/python3.11/threading.py"));
    CHECK(script("/usr/lib/python3/dist-packages/mpi4py/run.py"));
    CHECK_FALSE(script("<string>")); // python -c
    CHECK_FALSE(script("/home/me/mpi4py/solve.py"));
    CHECK_FALSE(script("/home/me/libc.py"));
}
