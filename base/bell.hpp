// One thread sleeps until another rings. Ringing is async-signal-safe and keeps errno; a ring is never lost.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tactus {

class Bell {
  public:
    void ring() {
        const int kept = errno;
        rings_.fetch_add(1, std::memory_order_release); // pairs with the acquire in sleep()
        syscall(SYS_futex, &rings_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
        errno = kept;
    }
    // Returns once the bell has rung since the last return, or after `longest`. Only one thread calls it.
    void sleep(timespec longest) {
        if (const std::uint32_t now = rings_.load(std::memory_order_acquire); now == heard_)
            syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, now, &longest, nullptr, 0);
        heard_ = rings_.load(std::memory_order_acquire);
    }

  private:
    std::atomic<std::uint32_t> rings_{0};
    std::uint32_t heard_ = 0;
};

} // namespace tactus
