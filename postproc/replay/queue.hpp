// The notes that have come for one channel or group and were not taken yet, by order. It is mostly first in, first out,
// but a receive that was posted earlier may be completed later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

template <class Note> class Queue {
  public:
    // Ignores a note that nobody waits for any more.
    void put(std::uint32_t order, const Note& note) {
        if (order < first_) return;
        Slot& slot = at(order);
        if (slot.state != State::gone)
            slot = {note, State::here};
        else
            drop_front();
    }
    // Returns nullptr when the note has not come, or was taken. The pointer is valid until the next put() or drop().
    [[nodiscard]] const Note* find(std::uint32_t order) const {
        if (order < first_ || order - first_ >= ring_.size()) return nullptr;
        const Slot& slot = ring_[order & (ring_.size() - 1)];
        return slot.state == State::here ? &slot.note : nullptr;
    }
    // To be called when the note was taken, or when nobody waits for it any more.
    void drop(std::uint32_t order) {
        if (order < first_) return;
        at(order).state = State::gone;
        drop_front();
    }

  private:
    enum class State : std::uint8_t { empty, here, gone };
    struct Slot {
        Note note{};
        State state{};
    };

    void drop_front() {
        while (!ring_.empty() && ring_[first_ & (ring_.size() - 1)].state == State::gone)
            ring_[first_++ & (ring_.size() - 1)].state = State::empty;
    }

    Slot& at(std::uint32_t order) {
        if (order - first_ >= ring_.size()) grow(order - first_);
        return ring_[order & (ring_.size() - 1)];
    }

    void grow(std::size_t needed) {
        std::size_t size = ring_.empty() ? 1 : ring_.size(); // most channels have few notes under way
        while (size <= needed) size *= 2;
        std::vector<Slot> wider(size);
        for (std::size_t i = 0; i < ring_.size(); ++i) {
            const auto order = static_cast<std::uint32_t>(first_ + i);
            wider[order & (size - 1)] = ring_[order & (ring_.size() - 1)];
        }
        ring_ = std::move(wider);
    }

    std::vector<Slot> ring_;  // its size is a power of two; the slot of an order is the order modulo that size
    std::uint32_t first_ = 0; // all earlier orders are gone
};

} // namespace tactus
