// A thread that does jobs in order. It serves as CUDA's host-callback thread, a socket's helper, or for non-blocking
// launches.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tactus::fake_nccl {

class Worker {
  public:
    Worker() : thread_([this] { run(); }) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() { // first does all jobs that were asked for
        {
            const std::scoped_lock lock{mutex_};
            stopping_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    void ask(std::function<void()> job) {
        {
            const std::scoped_lock lock{mutex_};
            jobs_.push_back(std::move(job));
        }
        changed_.notify_all();
    }

    void wait() { // until all jobs that were asked for are done
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
    }

  private:
    void run() {
        std::unique_lock lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            const std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            busy_ = true;
            lock.unlock();
            job();
            lock.lock();
            busy_ = false;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    bool busy_ = false, stopping_ = false;
    std::thread thread_; // last, because it uses the others
};

} // namespace tactus::fake_nccl
