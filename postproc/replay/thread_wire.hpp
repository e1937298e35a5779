// The wire of a replay in one process, in which each thread plays a block of ranks. Each thread has a ThreadWire.
#pragma once

#include "postproc/replay/wire.hpp"

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus {

// What the threads share. It must outlive their wires.
class ThreadHub {
  public:
    // `ranks` is the highest rank plus 1.
    ThreadHub(std::uint32_t threads, std::uint32_t ranks)
        : seats_{threads, ranks}, meeting_{static_cast<std::ptrdiff_t>(threads)},
          parts_(threads, std::vector<ReplayBytes>(threads)), inboxes_(threads), has_mail_(threads) {}

  private:
    friend class ThreadWire;

    Seats seats_;
    std::barrier<> meeting_;
    // For collective functions: written by one side before a meeting, and read by the other side after it.
    std::vector<std::vector<ReplayBytes>> parts_; // [from][to]
    std::vector<std::uint64_t> sums_;
    std::vector<std::int64_t> most_;
    std::mutex mutex_; // protects all members below, and sums_ and most_ while they are computed
    std::condition_variable came_;
    std::vector<ReplayBytes> inboxes_;
    std::vector<std::atomic<bool>> has_mail_; // only a hint, which is read without the mutex
    std::uint32_t waiting_ = 0;               // threads that wait in collect()
    std::uint64_t quiet_moments_ = 0;         // how often every thread waited and nothing was under way
};

class ThreadWire final : public ReplayWire {
  public:
    ThreadWire(ThreadHub& hub, std::uint32_t thread) : hub_{hub}, thread_{thread}, outgoing_(hub.inboxes_.size()) {}

    [[nodiscard]] bool plays(std::uint32_t rank) const override { return hub_.seats_.of(rank) == thread_; }
    [[nodiscard]] bool alone() const override { return outgoing_.size() == 1; }
    [[nodiscard]] bool ok() const override { return true; }
    void add_up(std::vector<std::uint64_t>& values) override;
    void find_most(std::vector<std::int64_t>& values) override;
    void post(std::uint32_t rank, const void* bytes, std::size_t size) override;
    bool collect(ReplayBytes& bytes, bool wait) override;

  protected:
    ReplayBytes exchange_bytes(const std::uint8_t* items, std::size_t size,
                               const std::vector<std::uint32_t>& to) override;

  private:
    template <class T, class Join> void combine(std::vector<T>& all, std::vector<T>& values, const Join& join);
    void hand_over(std::size_t to);
    void look_out() const;
    [[nodiscard]] bool is_quiet() const; // the caller holds the mutex

    ThreadHub& hub_;
    std::uint32_t thread_;
    std::vector<ReplayBytes> outgoing_; // by receiving thread
};

} // namespace tactus
