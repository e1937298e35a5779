#include "postproc/view/link_store.hpp"

#include "postproc/profile/tracer_cost.hpp"
#include "postproc/replay/wire.hpp"
#include "postproc/waits/run_events.hpp"
#include "postproc/waits/run_links.hpp"
#include "postproc/waits/waits.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace tactus {
namespace {

bool ends_rank(const std::vector<LinkPiece>& pieces, std::size_t i) {
    return i + 1 == pieces.size() || pieces[i + 1].lane != pieces[i].lane;
}

} // namespace

LinkStore::LinkStore(const Trace& trace, TimesShown times, const std::vector<RankLines>& ranks, Note note,
                     TellWork tell)
    : trace_{trace}, times_{times}, ranks_{ranks}, note_{std::move(note)}, tell_{std::move(tell)} {
    std::vector<std::uint64_t> identities;
    for (const RankLines& rank : ranks) identities.push_back(rank.identity());
    run_ = run_identity(identities);
    for (const RankFile& file : trace.ranks) records_.push_back(volume_of(file).records);
    const auto has = [&](const RankFile& file) {
        return ranks_with_links(file.all_blocks(), run_).contains(file.header().rank);
    };
    std::vector<IndexEntry> entries;
    if (times == TimesShown::measured && std::all_of(trace.ranks.begin(), trace.ranks.end(), has)) {
        for (const RankFile& file : trace.ranks)
            entries.insert(entries.end(), file.all_blocks().begin(), file.all_blocks().end());
    } else {
        summed_file_ = CacheFile::find(path("links"), header().job);
        if (!summed_file_ || ranks_with_links(summed_file_->entries(), run_).size() < trace.ranks.size()) sum_up();
        if (summed_file_) entries = summed_file_->entries();
    }
    summed_ = pieces_in(entries, summed_file_);
    for (std::size_t kind = 0; kind < link_kinds; ++kind) {
        put_in_order(summed_[kind]);
        for (std::size_t i = 0; i < summed_[kind].size(); ++i)
            if (ends_rank(summed_[kind], i))
                narrowest_[kind] = std::max(narrowest_[kind], width_bits_of(summed_[kind][i]));
    }
    all_file_ = CacheFile::find(path("all-links"), header().job);
    if (all_file_) add_all();
}

std::string LinkStore::path(const char* which) const {
    char name[64];
    std::snprintf(name, sizeof name, "/cache/%s-%s%016llx.index", which,
                  times_ == TimesShown::compensated ? "compensated-" : "", static_cast<unsigned long long>(run_));
    return trace_.path + name;
}

LinkStore::Pieces LinkStore::pieces_in(const std::vector<IndexEntry>& entries,
                                       const std::optional<CacheFile>& file) const {
    Pieces pieces;
    for (const IndexEntry& entry : entries) {
        if (entry.kind != BlockKind::time_line || entry.calls != run_ || width_bits_of(entry) > most_width_bits)
            continue;
        for (std::size_t kind = 0; kind < link_kinds; ++kind)
            if (part_of(entry) == part_of(static_cast<LinkKind>(kind)))
                pieces[kind].push_back({entry, file ? &*file : nullptr});
    }
    return pieces;
}

bool LinkStore::replay(const TakeLink& take) const {
    auto run = events_of_run(
        trace_, [&](std::size_t rank, std::size_t lane) -> const ProcessClock& { return ranks_[rank].clock(lane); });
    if (!run) {
        note_({.what = "there is no room for the events of its messages", .file = trace_.path});
        return false;
    }
    LonelyWire wire;
    find_waits(run->ranks, run->matched, wire, run->calls, take);
    for (std::size_t i = 0; i < run->ranks.size(); ++i) {
        if (run->ranks[i].own.empty()) continue;
        std::map<std::uint32_t, const ProcessClock*> clocks; // by lane
        std::size_t number = 0;
        for (const LaneBlocks blocks : lanes_of(trace_.ranks[i]))
            clocks[blocks.front().lane] = &ranks_[i].clock(number++);
        const auto time_of = [&](std::uint32_t lane, Ticks tick) { return clocks.at(lane)->at(tick); };
        take_own_messages(run->ranks[i], i, time_of, take);
    }
    return true;
}

void LinkStore::sum_up() {
    if (tell_) tell_("messages are added up");
    RunLinks sums{records_};
    if (!replay([&](std::size_t rank, LinkKind kind, const Link& link) { sums.add(rank, kind, link); })) return;
    std::vector<Bytes> blocks;
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i)
        for (Bytes& block : link_blocks(sums.take(i), trace_.ranks[i].header().rank, header().job, run_))
            blocks.push_back(std::move(block));
    summed_file_ = CacheFile::store(path("links"), header(), std::move(blocks), {});
}

void LinkStore::gather_all() const {
    std::call_once(gathering_, [&] {
        if (has_all()) return;
        gather();
        if (all_file_) add_all();
    });
}

void LinkStore::add_all() const {
    all_ = pieces_in(all_file_->entries(), all_file_);
    for (std::size_t kind = 0; kind < link_kinds; ++kind) {
        all_[kind].insert(all_[kind].end(), summed_[kind].begin(), summed_[kind].end());
        put_in_order(all_[kind]);
    }
    has_all_.store(true, std::memory_order_release);
}

// The widths in which all links are stored: for each rank the links themselves (width 0), and levels with about eight
// times as many sums as the level above, as long as the rank has at least 16 records for each sum.
LinkPieces::Widths LinkStore::narrower_widths() const {
    constexpr unsigned narrower_bits = 3;
    constexpr std::uint64_t records_a_sum = 16;
    LinkPieces::Widths widths(trace_.ranks.size());
    for (std::size_t kind = 0; kind < link_kinds; ++kind) {
        std::map<std::uint32_t, std::pair<unsigned, std::uint64_t>> narrowest; // width, sums, by rank
        for (const LinkPiece& piece : summed_[kind]) {
            auto& [width_bits, sums] = narrowest[piece.lane];
            if (width_bits != width_bits_of(piece)) sums = 0;
            width_bits = width_bits_of(piece);
            sums += sums_of(piece);
        }
        for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank) {
            auto [width_bits, sums] = narrowest[trace_.ranks[rank].header().rank];
            if (width_bits == 0) continue; // the links themselves are there already
            std::vector<unsigned>& of_rank = widths[rank][kind];
            of_rank.push_back(0);
            for (sums <<= narrower_bits; sums > 0 && width_bits > narrower_bits; sums <<= narrower_bits) {
                width_bits -= narrower_bits;
                if (sums > records_[rank] / records_a_sum) break;
                of_rank.insert(of_rank.begin() + 1, width_bits);
            }
        }
    }
    return widths;
}

void LinkStore::gather() const {
    if (tell_) tell_("all messages are gathered for narrow windows");
    BlocksWriter writer{path("all-links"), header()};
    std::map<std::tuple<std::size_t, LinkKind, unsigned>, std::uint32_t> numbers; // number of the next piece
    LinkPieces pieces{narrower_widths(), [&](std::size_t rank, LinkKind kind, const LinkLevel& piece) {
                          writer.add(link_block(piece, kind, numbers[{rank, kind, piece.width_bits}]++,
                                                trace_.ranks[rank].header().rank, header().job, run_));
                      }};
    if (!replay([&](std::size_t rank, LinkKind kind, const Link& link) { pieces.add(rank, kind, link); })) return;
    pieces.finish();
    all_file_ = writer.close({});
    if (!all_file_)
        note_({.what = "there is no room in its cache for all messages: narrow windows show them in wide slots",
               .file = trace_.path});
}

// Chooses for each rank the widest pieces that are not too wide.
std::vector<LinkPiece> LinkStore::pieces_for(LinkKind kind, unsigned width_bits, GlobalTime from, GlobalTime to) const {
    std::vector<LinkPiece> chosen;
    std::optional<std::uint32_t> rank;
    unsigned width = 0;
    for (const LinkPiece& piece : (has_all() ? all_ : summed_)[static_cast<std::size_t>(kind)]) {
        const unsigned of_piece = width_bits_of(piece);
        if (of_piece > width_bits || (rank == piece.lane && of_piece != width)) continue;
        rank = piece.lane;
        width = of_piece;
        if (static_cast<GlobalTime>(piece.first) < to && static_cast<GlobalTime>(piece.last) > from)
            chosen.push_back(piece);
    }
    return chosen;
}

Result<std::shared_ptr<const LinkLevel>> LinkStore::read(LinkKind kind, const LinkPiece& piece) const {
    const PartKey key{std::uint64_t{piece.lane} * link_kinds + static_cast<std::size_t>(kind), width_bits_of(piece),
                      static_cast<std::int64_t>(piece.sequence)};
    if (auto known = cache_.find(key)) return known;
    const auto file =
        std::lower_bound(trace_.ranks.begin(), trace_.ranks.end(), piece.lane,
                         [](const RankFile& rank_file, std::uint32_t rank) { return rank_file.header().rank < rank; });
    if (piece.file == nullptr && (file == trace_.ranks.end() || file->header().rank != piece.lane))
        return Error{.what = "messages of a rank are in the file of another one", .file = trace_.path};
    const auto bytes = piece.file != nullptr ? piece.file->read(piece) : file->read_time_line(piece);
    if (!bytes) return bytes.error();
    auto sums = decode_links(*bytes, kind, width_bits_of(piece));
    if (!sums) return sums.error();
    auto read = std::make_shared<const LinkLevel>(LinkLevel{width_bits_of(piece), std::move(*sums)});
    cache_.add(key, read);
    return read;
}

} // namespace tactus
