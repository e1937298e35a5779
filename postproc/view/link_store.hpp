// The messages, waits and collectives of a trace as pictures ask for them. Those of wide slots were added up ahead, in
// the ranks' files; of narrower ones all there are is put in a file beside the trace in cache/ when somebody asks.
// What is not there yet is made by a replay of the whole run, which takes some time; where nothing can be written, it
// is kept in memory.
#pragma once

#include "postproc/view/rank_lines.hpp"
#include "postproc/view/recently_used.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tactus {

// So many sums of one width.
struct LinkPiece : IndexEntry {
    const CacheFile* file = nullptr; // where it is; else in the file of its rank
};

class LinkStore {
  public:
    // All outlive it. `note` is told why there are none, or none of narrow slots; `tell` what takes some time now.
    using Note = std::function<void(const Error&)>;
    LinkStore(const Trace& trace, TimesShown times, const std::vector<RankLines>& ranks, Note note, TellWork tell);

    // There are none in narrower slots, unless all are gathered; what was once is.
    [[nodiscard]] unsigned narrowest(LinkKind kind) const { return narrowest_[static_cast<std::size_t>(kind)]; }

    // Returns when they are, or when that cannot be. Any thread.
    void gather_all() const;
    [[nodiscard]] bool has_all() const { return has_all_.load(std::memory_order_acquire); }

    // What has to be read of those that lie at least in part in whole slots from `from` to `to`: in slots of
    // 2^width_bits units or narrower ones. `width_bits` is not less than narrowest(), or all are gathered.
    [[nodiscard]] std::vector<LinkPiece> pieces_for(LinkKind kind, unsigned width_bits, GlobalTime from,
                                                    GlobalTime to) const;
    // Also some that lie elsewhere. Any thread.
    [[nodiscard]] Result<std::shared_ptr<const LinkLevel>> read(LinkKind kind, const LinkPiece& piece) const;

  private:
    using Pieces = std::array<std::vector<LinkPiece>, link_kinds>; // by rank, then the widest first

    [[nodiscard]] std::string path(const char* which) const;
    [[nodiscard]] const Header& header() const { return trace_.ranks.front().header(); }
    [[nodiscard]] Pieces pieces_in(const std::vector<IndexEntry>& entries, const std::optional<CacheFile>& file) const;
    bool replay(const TakeLink& take) const; // false: there was no room
    void sum_up();
    [[nodiscard]] LinkPieces::Widths narrower_widths() const;
    void gather() const;
    void add_all() const;

    const Trace& trace_;
    TimesShown times_;
    const std::vector<RankLines>& ranks_;
    Note note_;
    TellWork tell_;
    std::uint64_t run_ = 0;
    std::vector<std::uint64_t> records_;   // of the ranks
    std::optional<CacheFile> summed_file_; // of all ranks; none: they are in the ranks' files
    Pieces summed_;
    std::array<unsigned, link_kinds> narrowest_{};
    mutable std::once_flag gathering_;
    mutable std::atomic<bool> has_all_{false}; // pairs with:
    mutable std::optional<CacheFile> all_file_;
    mutable Pieces all_; // those summed up, too
    mutable RecentlyUsed<LinkLevel> cache_{std::size_t{256} << 20};
};

} // namespace tactus
