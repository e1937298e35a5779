#include "postproc/view/rank_lines.hpp"

#include <cmath>
#include <cstdio>
#include <set>

namespace tactus {
namespace {

// The correction of a clock that also takes a lane's delay off. It is exact at every edge of a span and at every value
// of a counter.
ShiftMap without_delay(const RankFile& file, LaneBlocks blocks, const SpanFunctions& known,
                       const RankLines::DelayAt& delay) {
    const CounterValues values{file.definitions()};
    std::set<Ticks> ticks;
    for (const IndexEntry& block : blocks) {
        const auto records = file.read_times(block);
        if (!records) continue; // make_index() reports it
        known.each_backward(*records, [&](Ticks enter, Ticks leave, std::uint32_t) {
            ticks.insert({enter, leave});
            return true;
        });
        values.each_backward(*records, [&](Ticks tick, std::uint32_t, double) { ticks.insert(tick); });
    }
    ShiftMapMaker maker;
    for (const Ticks tick : ticks)
        maker.add({tick, sum_of(file.clock().corrected.at(tick), -delay(blocks.front().lane, tick))});
    return maker.take();
}

} // namespace

std::string RankLines::cache_path(const std::string& trace, TimesShown times) const {
    char name[80];
    std::snprintf(name, sizeof name, "/cache/rank-%06u-%s%016llx.index", file_->header().rank,
                  times == TimesShown::compensated ? "compensated-" : "", static_cast<unsigned long long>(identity_));
    return trace + name;
}

bool RankLines::find(const std::string& trace, TimesShown times) {
    identity_ = index_identity(*file_, file_->clock());
    if (times == TimesShown::measured && has_index(*file_, file_->all_blocks(), identity_)) return true;
    return find_cache(cache_path(trace, times));
}

bool RankLines::find_cache(const std::string& path) {
    auto found = CacheFile::find(path, file_->header().job);
    if (!found || !has_index(*file_, found->entries(), identity_)) return false;
    for (const ShiftMap& shift : found->definitions().corrections) {
        if (!shift.is_sound()) return false;
        clocks_.push_back(file_->clock());
        clocks_.back().corrected = shift;
    }
    cache_ = std::move(found);
    return true;
}

void RankLines::make(const std::string& trace, const DelayAt& delay) {
    Definitions clocks;
    const SpanFunctions known{file_->definitions()};
    for (const LaneBlocks blocks : lanes_of(*file_)) {
        if (!delay) break;
        clocks.corrections.push_back(without_delay(*file_, blocks, known, delay));
        clocks_.push_back(file_->clock());
        clocks_.back().corrected = clocks.corrections.back();
    }
    RankIndex index =
        make_index(*file_, identity_, [this](std::size_t lane) -> const ProcessClock& { return clock(lane); });
    problems_ = std::move(index.unreadable);
    cache_ = CacheFile::store(cache_path(trace, delay ? TimesShown::compensated : TimesShown::measured),
                              file_->header(), std::move(index.blocks), clocks);
}

std::vector<IndexEntry> RankLines::entries() const {
    std::vector<IndexEntry> entries = cache_ ? cache_->entries() : file_->all_blocks();
    std::erase_if(entries, [&](const IndexEntry& entry) {
        return entry.kind != BlockKind::time_line || entry.calls != identity_;
    });
    return entries;
}

Result<Bytes> RankLines::read(const IndexEntry& entry) const {
    return cache_ ? cache_->read(entry) : file_->read_time_line(entry);
}

} // namespace tactus
