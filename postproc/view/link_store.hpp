// The messages, waits and collectives of a trace as pictures need them. For wide slots they were added up when the
// trace was finished, and are in the ranks' files. For narrower slots all of them are put into a file in cache/ when
// they are first needed. What does not exist yet is made by a replay of the whole run, which takes some time. It is
// kept in memory where no file can be written.
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

// A stored piece of sums of one width.
struct LinkPiece : IndexEntry {
    const CacheFile* file = nullptr; // where it is; nullptr: in the file of its rank
};

class LinkStore {
  public:
    // `trace` and `ranks` must outlive it. `note` is called with the reason when there are no links at all, or none in
    // narrow slots. `tell` is called before work that takes some time.
    using Note = std::function<void(const Error&)>;
    LinkStore(const Trace& trace, TimesShown times, const std::vector<RankLines>& ranks, Note note, TellWork tell);

    // The links of all ranks exist in slots of 2^narrowest units. In narrower slots they exist only if has_all(), which
    // once true stays true.
    [[nodiscard]] unsigned narrowest(LinkKind kind) const { return narrowest_[static_cast<std::size_t>(kind)]; }

    // Gathers all links, and returns when that is done or has failed. Any thread.
    void gather_all() const;
    [[nodiscard]] bool has_all() const { return has_all_.load(std::memory_order_acquire); }

    // The pieces to read for links that lie at least in part in [from, to), which is made of whole slots. Their slots
    // are 2^width_bits units wide or narrower. `width_bits` must not be less than narrowest(), unless has_all().
    [[nodiscard]] std::vector<LinkPiece> pieces_for(LinkKind kind, unsigned width_bits, GlobalTime from,
                                                    GlobalTime to) const;
    // Reads a piece, which may also have links outside of the interval asked for. Any thread.
    [[nodiscard]] Result<std::shared_ptr<const LinkLevel>> read(LinkKind kind, const LinkPiece& piece) const;

  private:
    using Pieces = std::array<std::vector<LinkPiece>, link_kinds>; // by kind; ordered by rank, then the widest first

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
    std::vector<std::uint64_t> records_;   // number of records of each rank
    std::optional<CacheFile> summed_file_; // links of all ranks; none: they are in the ranks' files
    Pieces summed_;
    std::array<unsigned, link_kinds> narrowest_{};
    mutable std::once_flag gathering_;
    // The release store in add_all() pairs with the acquire load in has_all(): all_file_ and all_ are set before.
    mutable std::atomic<bool> has_all_{false};
    mutable std::optional<CacheFile> all_file_;
    mutable Pieces all_; // including those of summed_
    mutable RecentlyUsed<LinkLevel> cache_{std::size_t{256} << 20};
};

} // namespace tactus
