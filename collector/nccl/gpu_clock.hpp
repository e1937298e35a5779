// Maps a GPU's clock (%globaltimer, which stamps kernels) to the CPU's. Nothing reads both clocks at once. But a stamp
// was taken before the callback that reports it, and after the launch of its kernel. Both together say how far the
// clocks are apart, within some microseconds. Pure; one thread uses it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tactus::nccl {

class GpuClock {
  public:
    // The largest drift of the two clocks against each other.
    static constexpr double most_drift = 50e-6;

    // CPU times are nanoseconds of any CPU clock, but always of the same one.
    void told(std::int64_t gpu_ns, std::int64_t cpu_ns);     // the stamp was taken before cpu_ns
    void launched(std::int64_t gpu_ns, std::int64_t cpu_ns); // the stamp was taken after cpu_ns

    struct Mapped {
        std::int64_t cpu_ns = 0;
        std::int64_t within_ns = 0; // cpu_ns is right within this
    };
    // Nothing until there is a bound. With one bound alone the result is taken to be right within 1 ms.
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
