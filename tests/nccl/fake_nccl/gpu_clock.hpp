// The clock by which a GPU stamps, as a function of the host's CLOCK_MONOTONIC. It is near the date, and has an offset,
// a drift and a granularity. Copies of a clock are the same clock.
#pragma once

#include <cstdint>

namespace tactus::fake_nccl {

[[nodiscard]] std::int64_t host_now_ns(); // CLOCK_MONOTONIC

class GpuClock {
  public:
    struct Settings {
        std::int64_t offset_ns = 0;
        double drift_ppm = 0;
        std::int64_t granularity_ns = 1;
    };

    GpuClock() : GpuClock(Settings{}) {}
    explicit GpuClock(const Settings& settings);

    [[nodiscard]] std::int64_t gpu_ns(std::int64_t host_ns) const {
        const std::int64_t passed = host_ns - origin_ns_;
        const std::int64_t drifted =
            static_cast<std::int64_t>(static_cast<double>(passed) * settings_.drift_ppm * 1e-6);
        const std::int64_t exact = epoch_ns_ + settings_.offset_ns + passed + drifted;
        return exact - exact % settings_.granularity_ns;
    }

  private:
    Settings settings_;
    std::int64_t origin_ns_; // host time at which the clock was epoch_ns_ + offset
    std::int64_t epoch_ns_;
};

} // namespace tactus::fake_nccl
