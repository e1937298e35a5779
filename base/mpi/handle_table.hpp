// Maps MPI handles to small values. Reading takes no lock and is on the hot path; the caller serializes writing.
// A handle that is freed keeps its slot with the value 0, since MPIs reuse handles at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace tactus {

class HandleTable {
  public:
    // Gives 0 for a handle that is not in the table. Any thread. hot
    [[nodiscard]] std::uint64_t find(std::uint64_t key) const {
        const Array* array = array_.load(std::memory_order_acquire); // pairs with the release in grow()
        if (array == nullptr) [[unlikely]]
            return 0;
        for (std::size_t i = place(key, array->mask);; i = (i + 1) & array->mask) {
            const std::uint64_t found = array->slots[i].key.load(std::memory_order_acquire); // pairs with put()
            if (found == key) return array->slots[i].value.load(std::memory_order_relaxed);
            if (found == 0) return 0;
        }
    }

    // Sets the value of a handle. Only one thread at a time may call it. False when memory is refused.
    bool put(std::uint64_t key, std::uint64_t value) {
        Array* array = array_.load(std::memory_order_relaxed);
        if (array == nullptr || used_ * 2 > array->mask) {
            if (!grow()) return false;
            array = array_.load(std::memory_order_relaxed);
        }
        insert(*array, key, value, used_);
        return true;
    }

  private:
    struct Slot {
        std::atomic<std::uint64_t> key{0};
        std::atomic<std::uint64_t> value{0};
    };
    struct Array {
        std::size_t mask;
        Slot* slots;
    };

    static std::size_t place(std::uint64_t key, std::size_t mask) {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) & mask;
    }
    static void insert(Array& array, std::uint64_t key, std::uint64_t value, std::size_t& used) {
        std::size_t i = place(key, array.mask);
        while (true) {
            const std::uint64_t found = array.slots[i].key.load(std::memory_order_relaxed);
            if (found == key || found == 0) {
                used += found == 0 ? 1 : 0;
                array.slots[i].value.store(value, std::memory_order_relaxed);
                array.slots[i].key.store(
                    key, std::memory_order_release); // pairs with find(): the value is there with the key
                return;
            }
            i = (i + 1) & array.mask;
        }
    }
    // The old array stays: a reader may be in it. All old ones together are smaller than the new one.
    bool grow() {
        const Array* old = array_.load(std::memory_order_relaxed);
        const std::size_t size = old == nullptr ? 256 : (old->mask + 1) * 2;
        auto* slots = new (std::nothrow) Slot[size];
        auto* array = new (std::nothrow) Array{size - 1, slots};
        if (slots == nullptr || array == nullptr) return false;
        std::size_t used = 0;
        for (std::size_t i = 0; old != nullptr && i <= old->mask; ++i) {
            const std::uint64_t key = old->slots[i].key.load(std::memory_order_relaxed);
            const std::uint64_t value = old->slots[i].value.load(std::memory_order_relaxed);
            if (key != 0 && value != 0) insert(*array, key, value, used);
        }
        used_ = used;
        array_.store(array, std::memory_order_release);
        return true;
    }

    std::atomic<Array*> array_{nullptr};
    std::size_t used_ = 0;
};

} // namespace tactus
