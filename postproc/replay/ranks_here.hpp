// Finds the ranks that a process plays while their events are matched, and exchanges items with the other processes.
#pragma once

#include "postproc/replay/rank_events.hpp"
#include "postproc/replay/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tactus {

class RanksHere {
  public:
    RanksHere(std::vector<RankEvents>& ranks, ReplayWire& wire) : ranks_{ranks}, wire_{wire} {
        for (std::size_t i = 0; i < ranks.size(); ++i) index_[ranks[i].rank] = i;
    }

    [[nodiscard]] std::vector<RankEvents>& all() { return ranks_; }
    [[nodiscard]] bool has(std::uint32_t rank) const { return index_.contains(rank); }
    [[nodiscard]] std::size_t index_of(std::uint32_t rank) const { return index_.at(rank); }
    [[nodiscard]] RankEvents& of(std::uint32_t rank) { return ranks_[index_of(rank)]; }

    // Collective: hands every item to the process that plays its rank `to`. Calls `lost` for items to ranks that the
    // trace lacks, in the process that would play them.
    template <class Item, class Lost> std::vector<Item> exchange(const std::vector<Item>& items, const Lost& lost) {
        std::vector<Item> received = wire_.exchange(items);
        std::erase_if(received, [&](const Item& item) {
            if (has(item.to)) return false;
            lost(item);
            return true;
        });
        return received;
    }
    template <class Item> std::vector<Item> exchange(const std::vector<Item>& items) {
        return exchange(items, [](const Item&) {});
    }

  private:
    std::vector<RankEvents>& ranks_;
    ReplayWire& wire_;
    std::unordered_map<std::uint32_t, std::size_t> index_; // by rank
};

} // namespace tactus
