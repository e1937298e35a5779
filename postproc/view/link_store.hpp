// The messages, waits and collectives of a trace as pictures ask for them: added up ahead in the ranks' files, or
// beside the trace in cache/, where they are put when they are asked for first; where that cannot be, they are kept in
// memory.
#pragma once

#include "postproc/view/rank_lines.hpp"
#include "postproc/view/recently_used.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tactus {

class LinkStore {
  public:
    // All outlive it. What is not there yet is made by a replay of the whole run, which takes some time.
    LinkStore(const Trace& trace, TimesShown times, const std::vector<RankLines>& ranks);

    // There are none in narrower slots.
    [[nodiscard]] unsigned narrowest(LinkKind kind) const { return narrowest_[static_cast<std::size_t>(kind)]; }

    // What has to be read of those that lie at least in part in whole slots from `from` to `to`: in slots of
    // 2^width_bits units or narrower ones. `width_bits` is not less than narrowest().
    [[nodiscard]] std::vector<IndexEntry> pieces_for(LinkKind kind, unsigned width_bits, GlobalTime from,
                                                     GlobalTime to) const;
    // Also some that lie elsewhere. Any thread.
    [[nodiscard]] Result<std::shared_ptr<const LinkLevel>> read(LinkKind kind, const IndexEntry& piece) const;
    // Why there are none.
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }

  private:
    void make(const std::string& path, const std::vector<RankLines>& ranks);
    void add_pieces(const std::vector<IndexEntry>& entries);
    void put_in_order(LinkKind kind);

    const Trace& trace_;
    std::uint64_t run_ = 0;
    std::optional<BlocksBeside> beside_;                     // of all ranks
    std::array<std::vector<IndexEntry>, link_kinds> pieces_; // by rank, then the widest first
    std::array<unsigned, link_kinds> narrowest_{};
    std::vector<Error> problems_;
    mutable RecentlyUsed<LinkLevel> cache_{std::size_t{256} << 20};
};

} // namespace tactus
