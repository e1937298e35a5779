#include "collector/nccl/rings.hpp"

#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus::nccl {

constinit thread_local Ring* Rings::own = nullptr;

// The pages of a ring become memory when it is first used.
bool Rings::make() {
    constexpr std::size_t size = most_rings * ring_events * sizeof(Event);
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    auto* events = static_cast<Event*>(memory);
    for (unsigned i = 0; i < most_rings; ++i, events += ring_events) {
        rings_[i].events_ = events;
        rings_[i].index_ = i;
    }
    return true;
}

Ring* Rings::claim() {
    for (Ring& ring : rings_) {
        if (ring.owner_.load(std::memory_order_relaxed) != 0) continue;
        pid_t nobody = 0;
        if (!ring.owner_.compare_exchange_strong(nobody, static_cast<pid_t>(syscall(SYS_gettid)),
                                                 std::memory_order_acq_rel))
            continue;
        ring.skips_call_ = false;
        ring.taken_seen_ = ring.taken_.load(std::memory_order_acquire);
        own = &ring;
        return own;
    }
    without_ring_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

// The ring is looked at after the thread was found to have ended, so nothing is written to it any more.
bool Rings::has_ended(const Ring& ring) {
    const pid_t owner = ring.owner();
    if (owner == 0 || syscall(SYS_tgkill, getpid(), owner, 0) == 0 || errno != ESRCH) return false;
    return ring.written() == ring.taken();
}

} // namespace tactus::nccl
