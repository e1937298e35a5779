// Holds a pthread mutex for a scope. (std::mutex may throw; nothing in the application may.)
#pragma once

#include <pthread.h>

namespace tactus {

class Locked {
  public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_{mutex} { pthread_mutex_lock(&mutex_); }
    ~Locked() { pthread_mutex_unlock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    pthread_mutex_t& mutex_;
};

} // namespace tactus
