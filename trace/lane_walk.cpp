#include "trace/lane_walk.hpp"

#include "trace/sample.hpp"

#include <algorithm>
#include <utility>

namespace tactus {

std::vector<LaneBlocks> lanes_of(const RankFile& file) {
    std::vector<LaneBlocks> lanes;
    const LaneBlocks all{file.blocks()};
    for (std::size_t first = 0; first < all.size();) {
        std::size_t end = first + 1;
        while (end < all.size() && all[end].lane == all[first].lane) ++end;
        if (all[first].lane != sampled::lane) lanes.push_back(all.subspan(first, end - first));
        first = end;
    }
    return lanes;
}

LaneBlocks samples_of(const RankFile& file) {
    const LaneBlocks all{file.blocks()};
    const auto first = std::ranges::find(all, sampled::lane, &IndexEntry::lane);
    const auto end =
        std::find_if(first, all.end(), [](const IndexEntry& block) { return block.lane != sampled::lane; });
    return {first, end};
}

TickSpan span_of(LaneBlocks blocks) {
    TickSpan span;
    for (const IndexEntry& block : blocks) {
        span.first = std::min(span.first, block.first);
        span.last = std::max(span.last, block.last);
    }
    return span;
}

bool is_thread(const RankFile& file, LaneBlocks lane) {
    const Definitions& known = file.definitions();
    const bool has_nccl = !known.nccl_comms.empty() ||
                          (!known.symbols.empty() && known.symbols.back().number >= first_nccl_symbol); // by number
    if (!has_nccl) return true;
    if (std::any_of(lane.begin(), lane.end(), [](const IndexEntry& block) { return block.calls > 0; })) return true;
    LaneWalk walk{file, lane};
    while (walk.next()) {
        const Kind kind = walk.record().what.kind;
        if (kind == Kind::nccl) return false;
        if (kind != Kind::symbol && kind != Kind::loss && kind != Kind::stall) return true;
    }
    return true;
}

// Loads the next block that can be read and holds a record. False at the end of the lane.
bool LaneWalk::load() {
    while (next_block_ < blocks_.size()) {
        if (next_block_ > 0) ended_ += blocks_[next_block_ - 1].records;
        auto block = file_->read(blocks_[next_block_++], std::move(block_));
        if (!block) {
            keep_error(unreadable_, block.error());
            continue;
        }
        block_ = std::move(*block);
        index_ = 0;
        if (!block_.records.empty()) return true;
    }
    block_ = {};
    index_ = 0;
    return false;
}

bool LaneWalk::next_with_words() {
    // A piece whose beginning is in an unreadable block belongs to nothing.
    while (at_record() && block_.records[index_].what.kind == Kind::more) ++index_;
    if (!at_record()) return false;
    sealed_ = std::exchange(ended_, 0);
    own_words_ = block_.words_of(index_++);
    const auto goes_on = [&] { return block_.records[index_].what.kind == Kind::more; };
    joined_ = block_.records[index_ - 1].what.words > 0 && (index_ == block_.records.size() || goes_on());
    if (!joined_) return true;
    record_ = block_.records[index_ - 1];
    words_.assign(own_words_.begin(), own_words_.end());
    while (at_record() && goes_on()) {
        const Words more = block_.words_of(index_++);
        words_.insert(words_.end(), more.begin(), more.end());
        record_.what.words = static_cast<std::uint32_t>(words_.size());
    }
    return true;
}

} // namespace tactus
