// Carries notes between the ranks of a replay, each of which is played by one process. A process that plays all ranks
// has nothing to carry. Every process calls the collective functions in the same order. A wire is used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tactus {

using ReplayBytes = std::vector<std::uint8_t>;

// Which process plays a rank. Each plays about the same number of consecutive ranks, so that anything in the order of
// processes is also in the order of ranks.
struct Seats {
    std::uint32_t players = 1;
    std::uint32_t ranks = 1; // the highest rank plus 1
    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const {
        return static_cast<std::uint32_t>(std::uint64_t{rank < ranks ? rank : ranks - 1} * players / ranks);
    }
};

class ReplayWire {
  public:
    virtual ~ReplayWire() = default;

    // Whether this process plays the rank.
    [[nodiscard]] virtual bool plays(std::uint32_t rank) const = 0;
    [[nodiscard]] virtual bool alone() const = 0; // one process plays all ranks

    // False: the wire broke. What it returns from now on means nothing, and its functions do not wait any more.
    [[nodiscard]] virtual bool ok() const = 0;
    // True when this process has no time left.
    [[nodiscard]] virtual bool is_late() const { return false; }
    // Collective: true when some process is late, so that all stop together, or when the wire broke.
    bool out_of_time() {
        std::vector<std::int64_t> any{is_late() ? 1 : 0};
        find_most(any);
        return !ok() || any[0] != 0;
    }

    // Collective: hands every item to the process that plays its rank `to`. Returns the items for this process, in the
    // order of the processes that they come from.
    template <class Item> std::vector<Item> exchange(const std::vector<Item>& items) {
        static_assert(std::is_trivially_copyable_v<Item>);
        if (alone()) return items;
        std::vector<std::uint32_t> to;
        to.reserve(items.size());
        for (const Item& item : items) to.push_back(item.to);
        const ReplayBytes bytes = exchange_bytes(reinterpret_cast<const std::uint8_t*>(items.data()), sizeof(Item), to);
        std::vector<Item> received(bytes.size() / sizeof(Item));
        if (!received.empty())
            std::memcpy(static_cast<void*>(received.data()), bytes.data(), received.size() * sizeof(Item));
        return received;
    }

    // Collective: replace each value by the sum, or the maximum, over all processes.
    virtual void add_up(std::vector<std::uint64_t>& values) = 0;
    virtual void find_most(std::vector<std::int64_t>& values) = 0;

    // --- while ranks are played
    // Sends bytes to the process that plays `rank`, where collect() returns them. Bytes stay in order between two
    // processes. They travel in batches, and may be held back until this process waits.
    virtual void post(std::uint32_t rank, const void* bytes, std::size_t size) = 0;
    // Appends what has come to `bytes`. False: nothing came. With `wait` it returns only when something came, or with
    // false when nothing will, since every process waits and nothing is under way.
    virtual bool collect(ReplayBytes& bytes, bool wait) = 0;

  protected:
    static constexpr std::size_t batch_bytes = 16384; // posted bytes are held back until they are this many

    virtual ReplayBytes exchange_bytes(const std::uint8_t* items, std::size_t size,
                                       const std::vector<std::uint32_t>& to) = 0;
};

// One process plays all ranks.
class LonelyWire final : public ReplayWire {
  public:
    [[nodiscard]] bool plays(std::uint32_t) const override { return true; }
    [[nodiscard]] bool alone() const override { return true; }
    [[nodiscard]] bool ok() const override { return true; }
    void add_up(std::vector<std::uint64_t>&) override {}
    void find_most(std::vector<std::int64_t>&) override {}
    void post(std::uint32_t, const void*, std::size_t) override {}
    bool collect(ReplayBytes&, bool) override { return false; }

  protected:
    ReplayBytes exchange_bytes(const std::uint8_t*, std::size_t, const std::vector<std::uint32_t>&) override {
        return {};
    }
};

} // namespace tactus
