// While this object lives, a failing write of its thread cannot end the program: SIGXFSZ (file size limit) and SIGPIPE
// (a closed standard error) are blocked, and those that our write raised are discarded at the end. Async-signal-safe.
#pragma once

#include <csignal>
#include <pthread.h>
#include <time.h>

namespace tactus {

class WriteSignalsBlocked {
  public:
    WriteSignalsBlocked() {
        sigemptyset(&ours_);
        sigset_t pending;
        sigpending(&pending);
        for (const int signal : {SIGXFSZ, SIGPIPE})
            if (sigismember(&pending, signal) == 0) sigaddset(&ours_, signal); // a signal already pending is not ours
        pthread_sigmask(SIG_BLOCK, &ours_, &before_);
    }
    ~WriteSignalsBlocked() {
        const timespec at_once{};
        while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WriteSignalsBlocked(const WriteSignalsBlocked&) = delete;
    WriteSignalsBlocked& operator=(const WriteSignalsBlocked&) = delete;

  private:
    sigset_t ours_{};
    sigset_t before_{};
};

} // namespace tactus
