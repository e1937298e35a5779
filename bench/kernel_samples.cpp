// Measures what a sample by the kernel costs the thread that it interrupts: kernel_samples [SAMPLES A SECOND] (default
// 1000). A loop runs with samples and without, by turns. Prints the microseconds that each sample added.
#include "sampling/perf_ring.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace tactus;

namespace {

// The time spent on work alone. The ring is emptied between its parts, before it is full.
double seconds_of_work(PerfRing& ring, int& samples) {
    std::chrono::steady_clock::duration took{};
    for (int part = 0; part < 50; ++part) {
        const auto began = std::chrono::steady_clock::now();
        volatile double value = 1;
        for (int i = 0; i < 1'000'000; ++i) value = value * 1.0000001 + 1e-9;
        took += std::chrono::steady_clock::now() - began;
        CoreSample sample;
        while (ring.next(sample)) ++samples;
    }
    return std::chrono::duration<double>(took).count();
}

} // namespace

int main(int argc, char** argv) {
    const int rate = argc > 1 ? std::atoi(argv[1]) : 1000;
    if (rate < 1 || rate > 100'000) {
        std::fprintf(stderr, "kernel_samples: samples a second are a number from 1 to 100000\n");
        return 2;
    }
    double without_s = 0;
    std::vector<double> us_each;
    for (int turn = 0; turn <= 20; ++turn) {
        int samples = 0;
        PerfRing none;
        const double before_s = seconds_of_work(none, samples);
        PerfRing ring{0, static_cast<std::uint64_t>(1'000'000'000 / rate)};
        if (!ring) {
            std::fprintf(stderr, "kernel_samples: the kernel refuses samples: %s\n", std::strerror(errno));
            return 1;
        }
        const double with_s = seconds_of_work(ring, samples);
        if (turn == 0 || samples == 0) continue; // the first one warms up
        without_s += before_s;
        us_each.push_back(1e6 * (with_s - before_s) / (samples + static_cast<int>(ring.lost())));
    }
    if (us_each.empty()) {
        std::fprintf(stderr, "kernel_samples: there were no samples: ask for more a second\n");
        return 1;
    }
    std::ranges::sort(us_each);
    const auto at = [&](std::size_t percent) { return us_each[(us_each.size() - 1) * percent / 100]; };
    std::printf(
        "%d samples a second, %.2f s of work without them, %zu turns: %.1f us a sample (quartiles %.1f, %.1f)\n", rate,
        without_s, us_each.size(), at(50), at(25), at(75));
}
