#include "postproc/view/rank_lines.hpp"

#include "writer/rank_writer.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {
namespace {

BlockHeader header_of(const Bytes& block) {
    BlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    return header;
}

// As late as the lane was, its stamps are earlier: exactly so at every edge of a span.
ShiftMap without_delay(const RankFile& file, LaneBlocks blocks, const SpanFunctions& known,
                       const RankLines::DelayAt& delay_ns) {
    std::set<Ticks> ticks;
    for (const IndexEntry& block : blocks) {
        const auto records = file.read_times(block);
        if (!records) continue; // who makes the index says so
        known.each_backward(*records, [&](Ticks enter, Ticks leave, std::uint32_t) {
            ticks.insert({enter, leave});
            return true;
        });
    }
    ShiftMapMaker maker;
    for (const Ticks tick : ticks)
        maker.add({tick, sum_of(file.clock().corrected.at(tick), -time_of_ns(delay_ns(blocks.front().lane, tick)))});
    return maker.take();
}

} // namespace

std::string RankLines::path_beside(const std::string& trace, TimesShown times) const {
    char name[80];
    std::snprintf(name, sizeof name, "/cache/rank-%06u-%s%016llx.index", file_->header().rank,
                  times == TimesShown::compensated ? "compensated-" : "", static_cast<unsigned long long>(identity_));
    return trace + name;
}

bool RankLines::find(const std::string& trace, TimesShown times) {
    identity_ = index_identity(*file_, file_->clock());
    if (times == TimesShown::measured && has_index(*file_, file_->all_blocks(), identity_)) return true;
    return find_beside(path_beside(trace, times));
}

bool RankLines::find_beside(const std::string& path) {
    if (access(path.c_str(), R_OK) != 0) return false;
    auto beside = RankFile::open(path);
    if (!beside || beside->header().job != file_->header().job || !beside->closed() ||
        !has_index(*file_, beside->all_blocks(), identity_))
        return false;
    for (const ShiftMap& shift : beside->definitions().corrections) {
        if (!shift.is_sound()) return false;
        clocks_.push_back(file_->clock());
        clocks_.back().corrected = shift;
    }
    beside_ = std::move(*beside);
    beside_->set_aside();
    return true;
}

void RankLines::make(const std::string& trace, const DelayAt& delay_ns) {
    Definitions clocks;
    const SpanFunctions known{file_->definitions()};
    for (const LaneBlocks blocks : lanes_of(*file_)) {
        if (!delay_ns) break;
        clocks.corrections.push_back(without_delay(*file_, blocks, known, delay_ns));
        clocks_.push_back(file_->clock());
        clocks_.back().corrected = clocks.corrections.back();
    }
    RankIndex index =
        make_index(*file_, identity_, [this](std::size_t lane) -> const ProcessClock& { return clock(lane); });
    in_memory_ = std::move(index.blocks);
    problems_ = std::move(index.unreadable);
    store(path_beside(trace, delay_ns ? TimesShown::compensated : TimesShown::measured), clocks);
}

// Under another name until it is whole: somebody else may be looking for it.
void RankLines::store(const std::string& path, const Definitions& clocks) {
    const std::string folder = path.substr(0, path.rfind('/'));
    static_cast<void>(mkdir(folder.c_str(), 0777)); // may be there; else the file cannot be created
    const std::string unfinished = path + '.' + std::to_string(getpid());
    LossCounters lost;
    RankWriter writer{lost, file_->header().job};
    if (!writer.open(unfinished, file_->header(), {})) return;
    bool good = true;
    for (const Bytes& block : in_memory_) good = good && writer.add(block);
    good = writer.close(clocks) && good;
    if (!good || rename(unfinished.c_str(), path.c_str()) != 0) {
        unlink(unfinished.c_str());
        return;
    }
    auto beside = RankFile::open(path);
    if (!beside) return;
    beside_ = std::move(*beside);
    beside_->set_aside();
    in_memory_.clear();
}

std::vector<IndexEntry> RankLines::entries() const {
    std::vector<IndexEntry> entries;
    const auto take = [&](const IndexEntry& entry) {
        if (entry.kind == BlockKind::time_line && entry.calls == identity_) entries.push_back(entry);
    };
    if (!in_memory_.empty())
        for (std::size_t i = 0; i < in_memory_.size(); ++i) take(entry_of(header_of(in_memory_[i]), i));
    else
        for (const IndexEntry& entry : (beside_ ? *beside_ : *file_).all_blocks()) take(entry);
    return entries;
}

Result<Bytes> RankLines::read(const IndexEntry& entry) const {
    if (in_memory_.empty()) return (beside_ ? *beside_ : *file_).read_time_line(entry);
    const Bytes& block = in_memory_[entry.offset];
    const BlockHeader header = header_of(block);
    return unpack_block(header, {block.data() + sizeof header, header.stored_size});
}

} // namespace tactus
