// Holds a pthread mutex for a scope, in which the thread cannot be cancelled: it would keep the mutex forever.
// (std::mutex may throw; nothing in the application may.)
#pragma once

#include "base/thread_state_kept.hpp"

#include <pthread.h>

namespace tactus {

class Locked {
  public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_{mutex} { pthread_mutex_lock(&mutex_); }
    ~Locked() { pthread_mutex_unlock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    NotCancelled not_cancelled_;
    pthread_mutex_t& mutex_;
};

} // namespace tactus
