// All GPU clocks of a process, and of the processes that it forks, have the same origin.
#include "gpu_clock.hpp"

#include <ctime>

namespace tactus::fake_nccl {
namespace {

std::int64_t read_ns(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

const std::int64_t process_origin_ns = read_ns(CLOCK_MONOTONIC);
const std::int64_t process_epoch_ns = read_ns(CLOCK_REALTIME);

} // namespace

std::int64_t host_now_ns() { return read_ns(CLOCK_MONOTONIC); }

GpuClock::GpuClock(const Settings& settings)
    : settings_(settings), origin_ns_(process_origin_ns), epoch_ns_(process_epoch_ns) {}

} // namespace tactus::fake_nccl
