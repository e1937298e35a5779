// The messages, waits and collectives of a trace as pictures ask for them: added up ahead in the ranks' files, or
// beside the trace in cache/, where they are put when they are asked for first; where that cannot be, they are kept in
// memory.
#pragma once

#include "postproc/view/rank_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

class LinkStore {
  public:
    // All outlive it. What is not there yet is made by a replay of the whole run, which takes some time.
    LinkStore(const Trace& trace, TimesShown times, const std::vector<RankLines>& ranks);

    // There are none in narrower slots.
    [[nodiscard]] unsigned narrowest(LinkKind kind) const { return narrowest_[static_cast<std::size_t>(kind)]; }

    // Calls `take(sum, width_bits)` for those that lie at least in part in whole slots from `from` to `to`, in slots of
    // 2^width_bits units or narrower ones; `width_bits` is not less than narrowest(). Gives what could not be read.
    template <class Take>
    std::vector<Error> each(LinkKind kind, unsigned width_bits, GlobalTime from, GlobalTime to,
                            const Take& take) const {
        std::vector<Error> problems;
        for (const IndexEntry& piece : pieces_for(kind, width_bits, from, to)) {
            const auto sums = read(kind, piece);
            if (!sums) keep_error(problems, sums.error());
            if (!sums) continue;
            for (const LinkSum& sum : *sums)
                if (meets(sum, width_bits_of(piece), from, to)) take(sum, width_bits_of(piece));
        }
        return problems;
    }
    // Why there are none.
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }

  private:
    static bool meets(const LinkSum& sum, unsigned width_bits, GlobalTime from, GlobalTime to) {
        return std::min(sum.from_slot, sum.to_slot) < to >> width_bits &&
               std::max(sum.from_slot, sum.to_slot) >= from >> width_bits;
    }
    void make(const std::string& path, const std::vector<RankLines>& ranks);
    void add_pieces(const std::vector<IndexEntry>& entries);
    void put_in_order(LinkKind kind);
    [[nodiscard]] std::vector<IndexEntry> pieces_for(LinkKind kind, unsigned width_bits, GlobalTime from,
                                                     GlobalTime to) const;
    [[nodiscard]] Result<std::vector<LinkSum>> read(LinkKind kind, const IndexEntry& piece) const;

    const Trace& trace_;
    std::uint64_t run_ = 0;
    std::optional<BlocksBeside> beside_;                     // of all ranks
    std::array<std::vector<IndexEntry>, link_kinds> pieces_; // by rank, then the widest first
    std::array<unsigned, link_kinds> narrowest_{};
    std::vector<Error> problems_;
};

} // namespace tactus
