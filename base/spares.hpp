// Objects that are expensive to make and needed for a moment only, by any thread: who needs one takes one that lies
// spare, or makes one, and puts it back. They are freed neither at the end of a thread nor at exit, so they may be
// needed until the process is gone. No locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>

namespace tactus {

// `make` returns a pointer, or null when there is no memory; `destroy` takes such a pointer.
template <auto make, auto destroy> class Spare {
  public:
    using Object = std::remove_pointer_t<decltype(make())>;

    Spare() {
        for (std::atomic<Object*>& spare : spares_)
            if (spare.load(std::memory_order_relaxed) != nullptr &&
                (object_ = spare.exchange(nullptr, std::memory_order_acquire)) != nullptr) // pairs with the release
                return;
        object_ = make();
    }
    ~Spare() {
        for (std::atomic<Object*>& spare : spares_) {
            Object* none = nullptr;
            if (spare.compare_exchange_strong(none, object_, std::memory_order_release, std::memory_order_relaxed))
                return;
        }
        destroy(object_);
    }
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;

    [[nodiscard]] Object* get() const { return object_; } // null: there was no memory

  private:
    static constexpr std::size_t most = 4; // more are rarely in use at the same time
    static inline constinit std::array<std::atomic<Object*>, most> spares_{};
    Object* object_ = nullptr;
};

} // namespace tactus
