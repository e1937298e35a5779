// The regions of one lane for a dump. The record of a region comes after the records of everything inside of it. So all
// regions of a lane are collected before the first line, and LaneLines merges them with the other lines by time.
#pragma once

#include "trace/lane_walk.hpp"
#include "trace/rank_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tactus {

class RegionLines {
  public:
    // `wanted` chooses among the records of regions. With `events` each region has two lines, for begin and end.
    RegionLines(const RankFile& file, LaneBlocks blocks, bool events, const std::function<bool(const Record&)>& wanted);

    [[nodiscard]] bool empty() const { return next_ == lines_.size(); }
    [[nodiscard]] Ticks tick() const { return tick_of(lines_[next_]); }
    [[nodiscard]] std::string text() const;
    void drop() { ++next_; }

  private:
    struct Line {
        Record region;
        bool at_end = false;
    };
    static Ticks tick_of(const Line& line) { return line.at_end ? line.region.leave : line.region.enter; }

    const RankFile* file_;
    bool events_;
    std::vector<Line> lines_;
    std::size_t next_ = 0;
};

} // namespace tactus
