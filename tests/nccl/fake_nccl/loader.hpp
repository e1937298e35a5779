// Finds, loads, counts and unloads the plugin as NCCL does. Communicators of any thread acquire and release it.
#pragma once

#include "plugin.hpp"

#include <atomic>
#include <deque>
#include <mutex>

namespace tactus::fake_nccl {

class Loader {
  public:
    Loader(Core core, int newest_version) : core_(core), newest_version_(newest_version) {}

    // Counts one more communicator. The first loads the plugin that NCCL_PROFILER_PLUGIN names. If that fails, it is
    // not tried again.
    const Plugin* acquire();
    // Counts one communicator less, and closes the plugin when none is left. The count may fall below zero, as NCCL's
    // does.
    void release();
    void disable(); // for the rest of the process

    [[nodiscard]] const Plugin* current() const { return current_.load(std::memory_order_acquire); }
    [[nodiscard]] int last_version() const { return last_version_.load(std::memory_order_relaxed); }
    [[nodiscard]] int times_loaded() const { return times_loaded_.load(std::memory_order_relaxed); }

  private:
    enum class Status { ready, loaded, failed };

    [[nodiscard]] const Plugin* load();

    Core core_;
    int newest_version_;
    std::mutex mutex_;
    Status status_ = Status::ready;
    int references_ = 0;
    void* library_ = nullptr;
    // Kept forever: another thread may still be in a plugin that was unloaded.
    std::deque<Plugin> plugins_;
    std::atomic<const Plugin*> current_{nullptr}; // release in load, acquire in current
    std::atomic<int> last_version_{0}, times_loaded_{0};
};

} // namespace tactus::fake_nccl
