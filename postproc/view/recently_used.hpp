// A cache of a limited number of bytes, for what was read or added up and may be needed again. It drops what was not
// used for the longest time. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace tactus {

// A part of something, in slots of 2^width_bits units.
struct PartKey {
    std::uint64_t of = 0; // the number of what it is a part of
    unsigned width_bits = 0;
    std::int64_t part = 0;
    bool operator==(const PartKey&) const = default;
};

// `Value` has bytes(), which tells its size.
template <class Value> class RecentlyUsed {
  public:
    using Shared = std::shared_ptr<const Value>;

    explicit RecentlyUsed(std::size_t most_bytes) : most_bytes_{most_bytes} {}

    [[nodiscard]] Shared find(const PartKey& key) {
        const std::lock_guard hold{lock_};
        const auto found = by_key_.find(key);
        if (found == by_key_.end()) return nullptr;
        order_.splice(order_.begin(), order_, found->second);
        return found->second->second;
    }
    void add(const PartKey& key, Shared value) {
        const std::lock_guard hold{lock_};
        if (by_key_.contains(key)) return;
        bytes_ += value->bytes();
        order_.emplace_front(key, std::move(value));
        by_key_[key] = order_.begin();
        while (bytes_ > most_bytes_ && order_.size() > 1) {
            bytes_ -= order_.back().second->bytes();
            by_key_.erase(order_.back().first);
            order_.pop_back();
        }
    }

  private:
    struct Hash {
        std::size_t operator()(const PartKey& key) const {
            std::uint64_t hash = key.of * 64 + key.width_bits;
            hash = (hash ^ static_cast<std::uint64_t>(key.part) * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
            return hash ^ hash >> 32;
        }
    };
    using Order = std::list<std::pair<PartKey, Shared>>; // the most recently used is at the front

    std::mutex lock_;
    Order order_;
    std::unordered_map<PartKey, typename Order::iterator, Hash> by_key_;
    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
};

} // namespace tactus
