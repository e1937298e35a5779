// The events that NCCL may still refer to, by their tokens. The memory has a fixed size, so the oldest events make room
// for new ones. Only the drainer uses this.
#pragma once

#include "collector/nccl/event.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tactus::nccl {

struct LiveEvent {
    Event start;
    bool open = true;
    std::uint64_t operation = 0; // the operation's number, of coll and p2p and what is below them; see Assembly
    Ticks since = 0;             // of steps: since when it waits
    Ticks waited = 0;            // of steps
    bool told = false;           // of kernel channels: NCCL has reported their end
    unsigned calls = 0;          // of the group API: how many calls it has
};

class LiveEvents {
  public:
    explicit LiveEvents(std::uint32_t most)
        : most_{most}, slots_{new (std::nothrow) LiveEvent[most]},
          buckets_{new (std::nothrow) std::uint32_t[std::size_t{2} * most]{}}, free_{new (std::nothrow)
                                                                                         std::uint32_t[most]} {}
    // False: memory was refused.
    [[nodiscard]] bool ready() const { return slots_ != nullptr && buckets_ != nullptr && free_ != nullptr; }

    // Adds an event. Without a free place one of the oldest makes room; if that is still open, `cut` is called with it
    // first.
    template <class Cut> LiveEvent& add(const Event& start, const Cut& cut) {
        const std::uint32_t place = free_count_ == 0 ? oldest() : free_[--free_count_];
        LiveEvent& slot = slots_[place];
        if (slot.start.id != 0) {
            if (slot.open) cut(slot);
            erase(slot.start.id);
        }
        slot = LiveEvent{.start = start};
        put(start.id, place);
        return slot;
    }
    [[nodiscard]] LiveEvent* find(std::uint64_t id) {
        for (std::size_t b = home(id); buckets_[b] != 0; b = (b + 1) % buckets())
            if (slots_[buckets_[b] - 1].start.id == id) return &slots_[buckets_[b] - 1];
        return nullptr;
    }
    void remove(LiveEvent& event) {
        erase(event.start.id);
        event.start.id = 0;
        free_[free_count_++] = static_cast<std::uint32_t>(&event - slots_.get());
    }
    // Visits all events, the oldest first.
    template <class Visit> void for_each(const Visit& visit) {
        for (std::size_t i = 0; i < most_; ++i)
            if (LiveEvent& slot = slots_[(next_ + i) % most_]; slot.start.id != 0) visit(slot);
    }

  private:
    // Prefers an event that has ended.
    std::uint32_t oldest() {
        constexpr int looks = 256;
        for (int i = 0; i < looks && slots_[next_].start.id != 0 && slots_[next_].open; ++i)
            next_ = (next_ + 1) % most_;
        const std::uint32_t place = next_;
        next_ = (next_ + 1) % most_;
        return place;
    }
    [[nodiscard]] std::size_t buckets() const { return std::size_t{2} * most_; }
    [[nodiscard]] std::size_t home(std::uint64_t id) const { return (id * 0x9e37'79b9'7f4a'7c15 >> 32) % buckets(); }
    void put(std::uint64_t id, std::size_t slot) {
        std::size_t b = home(id);
        while (buckets_[b] != 0) b = (b + 1) % buckets();
        buckets_[b] = static_cast<std::uint32_t>(slot + 1);
    }
    // Entries after the hole that would no longer be found move up.
    void erase(std::uint64_t id) {
        std::size_t hole = home(id);
        while (buckets_[hole] != 0 && slots_[buckets_[hole] - 1].start.id != id) hole = (hole + 1) % buckets();
        if (buckets_[hole] == 0) return;
        for (std::size_t b = (hole + 1) % buckets(); buckets_[b] != 0; b = (b + 1) % buckets()) {
            const std::size_t wanted = home(slots_[buckets_[b] - 1].start.id);
            if ((b - wanted) % buckets() < (b - hole) % buckets()) continue;
            buckets_[hole] = buckets_[b];
            hole = b;
        }
        buckets_[hole] = 0;
    }

    const std::uint32_t most_;
    std::unique_ptr<LiveEvent[]> slots_;
    std::unique_ptr<std::uint32_t[]> buckets_; // slot + 1; 0: free
    std::unique_ptr<std::uint32_t[]> free_;    // the free places: the first `free_count_` entries
    std::uint32_t free_count_ = 0;
    std::uint32_t next_ = 0;
};

} // namespace tactus::nccl
