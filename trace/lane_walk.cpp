#include "trace/lane_walk.hpp"

#include <algorithm>
#include <utility>

namespace tactus {

std::vector<LaneBlocks> lanes_of(const RankFile& file) {
    std::vector<LaneBlocks> lanes;
    const LaneBlocks all{file.blocks()};
    for (std::size_t first = 0; first < all.size();) {
        std::size_t end = first + 1;
        while (end < all.size() && all[end].lane == all[first].lane) ++end;
        lanes.push_back(all.subspan(first, end - first));
        first = end;
    }
    return lanes;
}

// The next block that can be read and holds a record; false at the end of the lane.
bool LaneWalk::load() {
    while (next_block_ < blocks_.size()) {
        if (next_block_ > 0) ended_ += blocks_[next_block_ - 1].records;
        auto block = file_->read(blocks_[next_block_++]);
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

bool LaneWalk::next() {
    // A piece whose beginning is in an unreadable block belongs to nothing.
    while (at_record() && block_.records[index_].what.kind == Kind::more) ++index_;
    if (!at_record()) return false;
    sealed_ = std::exchange(ended_, 0);
    record_ = block_.records[index_];
    const Words own = block_.words_of(index_);
    words_.assign(own.begin(), own.end());
    ++index_;
    while (record_.what.words > 0 && at_record() && block_.records[index_].what.kind == Kind::more) {
        const Words more = block_.words_of(index_++);
        words_.insert(words_.end(), more.begin(), more.end());
        record_.what.words = static_cast<std::uint32_t>(words_.size());
    }
    return true;
}

} // namespace tactus
