// What carries notes between the ranks of a replay, each of which is played by one process. In one process that plays
// them all there is nothing to carry. Every process calls the collective functions, in the same order; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tactus {

using ReplayBytes = std::vector<std::uint8_t>;

// Who plays a rank: each the same number of neighbors, so that what is in the order of processes is in that of ranks.
struct Seats {
    std::uint32_t players = 1;
    std::uint32_t ranks = 1; // one more than the highest
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

    // False: it broke; what it gives from now on means nothing, and nobody waits for anything.
    [[nodiscard]] virtual bool ok() const = 0;
    // This process has no time left.
    [[nodiscard]] virtual bool is_late() const { return false; }
    // Collective: some process is late, and all stop.
    bool out_of_time() {
        std::vector<std::int64_t> any{is_late() ? 1 : 0};
        find_most(any);
        return !ok() || any[0] != 0;
    }

    // Collective: hands every item to the process that plays its rank `to`; gives those for this one, in the order of
    // the processes they come from.
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

    // Collective: the sums, and the maxima, of what all processes give.
    virtual void add_up(std::vector<std::uint64_t>& values) = 0;
    virtual void find_most(std::vector<std::int64_t>& values) = 0;

    // --- while ranks are played
    // Brings bytes to the process that plays `rank`, which are taken there by the same kind of batch; in order between
    // two processes.
    virtual void post(std::uint32_t rank, const void* bytes, std::size_t size) = 0;
    // What has come, one item after the other, appended. `wait`: nothing can go on before something comes; false when
    // nothing will: every process waits, and nothing is under way.
    virtual bool collect(ReplayBytes& bytes, bool wait) = 0;

  protected:
    static constexpr std::size_t batch_bytes = 16384; // of what is posted, before it is brought away

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
