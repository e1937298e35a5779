#include "collector/nccl/gpu_clock.hpp"

#include <cmath>

namespace tactus::nccl {
namespace {

constexpr std::int64_t half_known_ns = 1'000'000;

// By how much a bound may have moved between two times.
std::int64_t drift(std::int64_t begin_ns, std::int64_t end_ns) {
    return std::llround(GpuClock::most_drift * std::abs(static_cast<double>(end_ns - begin_ns)));
}

} // namespace

std::int64_t GpuClock::upper_at(std::int64_t cpu_ns) const { return upper_.offset_ns + drift(upper_.cpu_ns, cpu_ns); }
std::int64_t GpuClock::lower_at(std::int64_t cpu_ns) const { return lower_.offset_ns - drift(lower_.cpu_ns, cpu_ns); }

void GpuClock::told(std::int64_t gpu_ns, std::int64_t cpu_ns) {
    const std::int64_t offset = cpu_ns - gpu_ns;
    if (upper_.cpu_ns != 0 && offset >= upper_at(cpu_ns)) return;
    upper_ = {offset, cpu_ns};
    check(lower_, cpu_ns);
}

void GpuClock::launched(std::int64_t gpu_ns, std::int64_t cpu_ns) {
    const std::int64_t offset = cpu_ns - gpu_ns;
    if (lower_.cpu_ns != 0 && offset <= lower_at(cpu_ns)) return;
    lower_ = {offset, cpu_ns};
    check(upper_, cpu_ns);
}

// Drops `other` when the bounds contradict each other: the bound that was just found is fresher.
void GpuClock::check(Bound& other, std::int64_t cpu_ns) {
    if (upper_.cpu_ns == 0 || lower_.cpu_ns == 0 || upper_at(cpu_ns) >= lower_at(cpu_ns)) return;
    other = {};
    ++contradictions_;
}

std::optional<GpuClock::Mapped> GpuClock::map(std::int64_t gpu_ns) const {
    if (upper_.cpu_ns == 0 && lower_.cpu_ns == 0) return {};
    const Bound& either = upper_.cpu_ns != 0 ? upper_ : lower_;
    const std::int64_t cpu_ns = gpu_ns + either.offset_ns;
    const std::int64_t upper = upper_.cpu_ns != 0 ? upper_at(cpu_ns) : lower_at(cpu_ns) + 2 * half_known_ns;
    const std::int64_t lower = lower_.cpu_ns != 0 ? lower_at(cpu_ns) : upper_at(cpu_ns) - 2 * half_known_ns;
    const std::int64_t half = (upper - lower) / 2;
    return Mapped{gpu_ns + lower + half, half};
}

} // namespace tactus::nccl
