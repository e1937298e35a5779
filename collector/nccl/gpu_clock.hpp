// A GPU's clock on the CPU's: %globaltimer, which stamps kernels, against the ticks of the rank's timer. Nobody reads
// both at once; but a stamp was taken before the callback that tells it, and behind the launch of its kernel. Both
// together say how far the clocks are apart, within some microseconds. Pure; one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tactus::nccl {

class GpuClock {
  public:
    // By how much the two clocks drift against each other at most.
    static constexpr double most_drift = 50e-6;

    // CPU times in nanoseconds by any clock of the CPU, always the same one.
    void told(std::int64_t gpu_ns, std::int64_t cpu_ns);     // the stamp was taken before cpu_ns
    void launched(std::int64_t gpu_ns, std::int64_t cpu_ns); // and behind that

    struct Mapped {
        std::int64_t cpu_ns = 0;
        std::int64_t within_ns = 0; // it is right within this
    };
    // Nothing until something was told. With one bound alone the other one is taken to be 1 ms away.
    [[nodiscard]] std::optional<Mapped> map(std::int64_t gpu_ns) const;
    // How often a bound contradicted what was known: one of the clocks was set, or a stamp was another kernel's.
    [[nodiscard]] std::uint64_t contradictions() const { return contradictions_; }

  private:
    struct Bound { // of cpu - gpu
        std::int64_t offset_ns = 0;
        std::int64_t cpu_ns = 0; // when it was found; 0: never
    };
    [[nodiscard]] std::int64_t upper_at(std::int64_t cpu_ns) const;
    [[nodiscard]] std::int64_t lower_at(std::int64_t cpu_ns) const;
    void check(Bound& other, std::int64_t cpu_ns);

    Bound upper_;
    Bound lower_;
    std::uint64_t contradictions_ = 0;
};

} // namespace tactus::nccl
