// The GPU's clock is mapped to the CPU's, from bounds alone.
#include "collector/nccl/gpu_clock.hpp"
#include "tests/unit/made/catch.hpp"

#include <cmath>
#include <cstdlib>
#include <random>

namespace {

using tactus::nccl::GpuClock;

constexpr std::int64_t offset = -1'700'000'000'000'000'000; // the CPU's clock minus the GPU's

TEST_CASE("nothing is mapped before something was told", "[nccl]") { CHECK_FALSE(GpuClock{}.map(1).has_value()); }

TEST_CASE("two bounds give the middle, and half of what is between them", "[nccl]") {
    GpuClock clock;
    clock.launched(1'000'000, 1'000'000 + offset - 4'000);
    clock.told(1'000'000, 1'000'000 + offset + 10'000);
    const auto mapped = clock.map(1'000'000);
    REQUIRE(mapped);
    CHECK(std::llabs(mapped->cpu_ns - (1'000'000 + offset + 3'000)) <= 1);
    CHECK(std::llabs(mapped->within_ns - 7'000) <= 1);
}

TEST_CASE("one bound alone is a millisecond wide", "[nccl]") {
    GpuClock clock;
    clock.told(0, 500);
    const auto mapped = clock.map(0);
    REQUIRE(mapped);
    CHECK(mapped->within_ns == 1'000'000);
    CHECK(mapped->cpu_ns + mapped->within_ns == 500);
}

TEST_CASE("whatever the drift and the delays, the truth is within what is said", "[nccl]") {
    std::mt19937_64 random{7};
    for (int run = 0; run < 200; ++run) {
        const double drift = std::uniform_real_distribution<>{-45e-6, 45e-6}(random);
        const auto gpu_of = [&](std::int64_t cpu) {
            return cpu - offset + std::llround(drift * static_cast<double>(cpu));
        };
        GpuClock clock;
        std::int64_t cpu = 1'000'000'000;
        double widest = 0;
        for (int i = 0; i < 500; ++i) {
            cpu += std::uniform_int_distribution<std::int64_t>{1'000, 50'000'000}(random);
            const std::int64_t launch = cpu - std::uniform_int_distribution<std::int64_t>{1, 20'000}(random);
            const std::int64_t told = cpu + std::uniform_int_distribution<std::int64_t>{1, 50'000}(random);
            clock.told(gpu_of(cpu), told);
            clock.launched(gpu_of(cpu), launch);
            const auto mapped = clock.map(gpu_of(cpu));
            REQUIRE(mapped);
            CHECK(std::llabs(mapped->cpu_ns - cpu) <= mapped->within_ns + 2);
            if (i > 50) widest = std::max(widest, static_cast<double>(mapped->within_ns));
        }
        CHECK(widest < 40'000);
        CHECK(clock.contradictions() == 0);
    }
}

TEST_CASE("a clock that was set is found again", "[nccl]") {
    GpuClock clock;
    clock.launched(1'000, 100);
    clock.told(1'000, 2'000);
    constexpr std::int64_t step = 5'000'000;
    clock.told(2'000 + step, 3'500);
    clock.launched(2'000 + step, 1'500);
    CHECK(clock.contradictions() == 1);
    const auto mapped = clock.map(2'000 + step);
    REQUIRE(mapped);
    CHECK(mapped->cpu_ns - mapped->within_ns <= 2'500);
    CHECK(mapped->cpu_ns + mapped->within_ns >= 2'500);
}

} // namespace
