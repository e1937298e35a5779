#include "postproc/view/link_store.hpp"

#include "postproc/replay/wire.hpp"
#include "postproc/waits/run_events.hpp"
#include "postproc/waits/waits.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace tactus {
namespace {

std::string path_beside(const Trace& trace, TimesShown times, std::uint64_t run) {
    char name[64];
    std::snprintf(name, sizeof name, "/cache/links-%s%016llx.index",
                  times == TimesShown::compensated ? "compensated-" : "", static_cast<unsigned long long>(run));
    return trace.path + name;
}

} // namespace

LinkStore::LinkStore(const Trace& trace, TimesShown times, const std::vector<RankLines>& ranks) : trace_{trace} {
    std::vector<std::uint64_t> identities;
    for (const RankLines& rank : ranks) identities.push_back(rank.identity());
    run_ = run_identity(identities);
    const auto lacks = [&](const RankFile& file, const std::vector<IndexEntry>& blocks) {
        return !ranks_with_links(blocks, run_).contains(file.header().rank);
    };
    const bool in_files = times == TimesShown::measured &&
                          std::none_of(trace.ranks.begin(), trace.ranks.end(),
                                       [&](const RankFile& file) { return lacks(file, file.all_blocks()); });
    if (in_files) {
        for (const RankFile& file : trace.ranks) add_pieces(file.all_blocks());
    } else {
        const std::string path = path_beside(trace, times, run_);
        beside_ = BlocksBeside::find(path, trace.ranks.front().header().job);
        if (!beside_ || ranks_with_links(beside_->entries(), run_).size() < trace.ranks.size()) make(path, ranks);
        if (beside_) add_pieces(beside_->entries());
    }
    for (std::size_t kind = 0; kind < link_kinds; ++kind) put_in_order(static_cast<LinkKind>(kind));
}

void LinkStore::make(const std::string& path, const std::vector<RankLines>& ranks) {
    auto run = events_of_run(
        trace_, [&](std::size_t rank, std::size_t lane) -> const ProcessClock& { return ranks[rank].clock(lane); });
    if (!run) {
        problems_.push_back({.what = "there is no room for the events of its messages", .file = trace_.path});
        return;
    }
    LonelyWire wire;
    const std::vector<RankLinks> links = find_waits(run->ranks, run->agreed, wire, run->calls).links;
    std::vector<Bytes> blocks;
    for (std::size_t i = 0; i < links.size(); ++i)
        for (Bytes& block : link_blocks(links[i], run->ranks[i].rank, trace_.ranks.front().header().job, run_))
            blocks.push_back(std::move(block));
    beside_ = BlocksBeside::store(path, trace_.ranks.front().header(), std::move(blocks), {});
}

void LinkStore::add_pieces(const std::vector<IndexEntry>& entries) {
    for (const IndexEntry& entry : entries) {
        if (entry.kind != BlockKind::time_line || entry.calls != run_ || width_bits_of(entry) > most_width_bits)
            continue;
        for (std::size_t kind = 0; kind < link_kinds; ++kind)
            if (part_of(entry) == part_of(static_cast<LinkKind>(kind))) pieces_[kind].push_back(entry);
    }
}

// By rank, then the widest first.
void LinkStore::put_in_order(LinkKind kind) {
    std::vector<IndexEntry>& pieces = pieces_[static_cast<std::size_t>(kind)];
    std::sort(pieces.begin(), pieces.end(), [](const IndexEntry& a, const IndexEntry& b) {
        return std::tuple{a.lane, width_bits_of(b), a.sequence} < std::tuple{b.lane, width_bits_of(a), b.sequence};
    });
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (i + 1 == pieces.size() || pieces[i + 1].lane != pieces[i].lane)
            narrowest_[static_cast<std::size_t>(kind)] =
                std::max(narrowest_[static_cast<std::size_t>(kind)], width_bits_of(pieces[i]));
}

// Of each rank the widest ones that are not too wide.
std::vector<IndexEntry> LinkStore::pieces_for(LinkKind kind, unsigned width_bits, GlobalTime from,
                                              GlobalTime to) const {
    std::vector<IndexEntry> chosen;
    std::optional<std::uint32_t> rank;
    unsigned width = 0;
    for (const IndexEntry& piece : pieces_[static_cast<std::size_t>(kind)]) {
        if (width_bits_of(piece) > width_bits || (rank == piece.lane && width_bits_of(piece) != width)) continue;
        rank = piece.lane;
        width = width_bits_of(piece);
        if (static_cast<GlobalTime>(piece.first) < to && static_cast<GlobalTime>(piece.last) > from)
            chosen.push_back(piece);
    }
    return chosen;
}

Result<std::shared_ptr<const LinkLevel>> LinkStore::read(LinkKind kind, const IndexEntry& piece) const {
    const PartKey key{std::uint64_t{piece.lane} * link_kinds + static_cast<std::size_t>(kind), width_bits_of(piece),
                      static_cast<std::int64_t>(piece.sequence)};
    if (auto known = cache_.find(key)) return known;
    const auto file =
        std::lower_bound(trace_.ranks.begin(), trace_.ranks.end(), piece.lane,
                         [](const RankFile& one, std::uint32_t rank) { return one.header().rank < rank; });
    const auto bytes = beside_ ? beside_->read(piece) : file->read_time_line(piece);
    if (!bytes) return bytes.error();
    auto sums = decode_links(*bytes, kind, width_bits_of(piece));
    if (!sums) return sums.error();
    auto read = std::make_shared<const LinkLevel>(LinkLevel{width_bits_of(piece), std::move(*sums)});
    cache_.add(key, read);
    return read;
}

} // namespace tactus
