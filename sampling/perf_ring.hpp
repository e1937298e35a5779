// Samples of another thread of this process, which the kernel takes by the thread's time on a core (perf_event_open(2))
// and leaves in a ring. The sampled thread runs no code for it and gets no signal. One thread reads.
#pragma once

#include "sampling/unwinder.hpp"

#include <cstdint>
#include <sys/types.h>
#include <utility>

namespace tactus {

struct CoreSample {
    std::int64_t monotonic_ns = 0;
    Registers registers;
    StackCopy stack; // valid until the next one is taken, of any ring
};

class PerfRing {
  public:
    PerfRing() = default;
    // Samples the thread (0: the calling one) each `period_ns` that it was on a core; where the system does not allow
    // it, not in the kernel. errno says why there is no ring.
    PerfRing(pid_t thread, std::uint64_t period_ns);
    ~PerfRing();
    PerfRing(PerfRing&& other) noexcept : memory_{std::exchange(other.memory_, nullptr)}, lost_{other.lost_} {}
    PerfRing& operator=(PerfRing&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(lost_, other.lost_);
        return *this;
    }
    explicit operator bool() const { return memory_ != nullptr; }

    // Gives the next sample; false if there is none now.
    bool next(CoreSample& sample);
    [[nodiscard]] static std::size_t memory();                 // bytes of a ring
    [[nodiscard]] std::uint64_t lost() const { return lost_; } // there was no room for them in the ring

  private:
    void copy(void* to, std::uint64_t at, std::size_t size) const;

    void* memory_ = nullptr;
    std::uint64_t lost_ = 0;
};

} // namespace tactus
