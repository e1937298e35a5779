// Carries events from NCCL's threads to the drainer, in a ring for each thread. Writing takes no lock, allocates
// nothing and makes no system call, except to wake the drainer when half of a ring is full. The memory has a fixed
// size.
#pragma once

#include "base/bell.hpp"
#include "collector/nccl/event.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace tactus::nccl {

constexpr std::size_t ring_events = 16384; // 1 MiB
constexpr std::size_t most_rings = 64;     // threads at a time

class Ring {
  public:
    // The fuller a ring is, the less it accepts, so that what has begun can also end. First it refuses events that
    // others would follow, then all events that would need an end.
    static constexpr std::uint64_t most_for_roots = ring_events / 4 * 3;
    static constexpr std::uint64_t most_for_starts = ring_events / 8 * 7;
    static constexpr std::uint64_t most_for_ends = ring_events;
    // Where the owner writes the next event; nullptr when there are `most` already.
    Event* room(std::uint64_t most) { // hot
        const std::uint64_t written = written_.load(std::memory_order_relaxed);
        if (written - taken_seen_ >= most) [[unlikely]] {
            taken_seen_ = taken_.load(std::memory_order_acquire); // pairs with the release in take()
            if (written - taken_seen_ >= most) {
                lost_.fetch_add(1, std::memory_order_relaxed); // a statistic
                return nullptr;
            }
        }
        return events_ + written % ring_events;
    }
    void publish(Bell& drainer) { // hot
        const std::uint64_t written = written_.load(std::memory_order_relaxed) + 1;
        written_.store(written, std::memory_order_release); // pairs with the acquire in written()
        if (written % (ring_events / 2) == 0) [[unlikely]]
            drainer.ring();
    }
    std::uint64_t next_number() { return ++numbers_; } // hot
    // Whether the owner's last call is not recorded.
    [[nodiscard]] bool skips_call() const { return skips_call_; }
    void skip_call(bool skip) { skips_call_ = skip; }
    [[nodiscard]] unsigned index() const { return index_; }

    // Called by the drainer.
    [[nodiscard]] std::uint64_t written() const { return written_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
    [[nodiscard]] const Event& event(std::uint64_t number) const { return events_[number % ring_events]; }
    void take(std::uint64_t up_to) { taken_.store(up_to, std::memory_order_release); } // pairs with room()
    std::uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }
    [[nodiscard]] pid_t owner() const { return owner_.load(std::memory_order_acquire); } // 0: nobody
    void give_up() { owner_.store(0, std::memory_order_release); } // its thread has ended, and all it wrote is taken

  private:
    friend class Rings;
    Event* events_ = nullptr;
    unsigned index_ = 0;
    std::uint64_t numbers_ = 0; // the last event's; the next owner goes on from it
    bool skips_call_ = false;
    std::uint64_t taken_seen_ = 0; // the owner's last look at taken_
    std::atomic<pid_t> owner_{0};  // claimed by compare-exchange; pairs with give_up()
    std::atomic<std::uint64_t> lost_{0};
    alignas(64) std::atomic<std::uint64_t> written_{0};
    alignas(64) std::atomic<std::uint64_t> taken_{0};
};

class Rings {
  public:
    bool make(); // once; false when memory is refused
    // The calling thread's ring, claimed at its first event; nullptr when all are taken (then an event counts as lost).
    Ring* mine() { // hot
        return own != nullptr ? own : claim();
    }
    Bell& bell() { return bell_; }
    [[nodiscard]] std::array<Ring, most_rings>& all() { return rings_; }
    // Called by the drainer: makes the empty rings of threads that have ended free for other threads. Calls
    // `ended(index)` before.
    template <class Ended> void take_back(const Ended& ended) {
        for (Ring& ring : rings_) {
            if (!has_ended(ring)) continue;
            ended(ring.index());
            ring.give_up();
        }
    }
    std::uint64_t take_without_ring() { return without_ring_.exchange(0, std::memory_order_relaxed); }

  private:
    Ring* claim();
    [[nodiscard]] static bool has_ended(const Ring& ring);

    static thread_local constinit Ring* own; // initial-exec, trivial: threads may outlive anything
    std::array<Ring, most_rings> rings_;
    std::atomic<std::uint64_t> without_ring_{0};
    Bell bell_;
};

} // namespace tactus::nccl
