// Merges the lines of several lanes in the order of global time, with one block of each lane in memory.
#pragma once

#include "cli/dump/dump_regions.hpp"
#include "postproc/compensate/delay_lines.hpp"
#include "trace/lane_walk.hpp"
#include "trace/rank_file.hpp"
#include "trace/shown_time.hpp"

#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tactus {

struct DumpFilter {
    double from_s = -std::numeric_limits<double>::infinity();
    double to_s = std::numeric_limits<double>::infinity();
    std::vector<Function> functions; // empty: all
    bool events = false;
    const DelayLines* delays = nullptr; // to be subtracted from all times
};

struct DumpLine {
    double time_s = 0;
    std::string text;
};

// The lines of one lane.
class LaneLines {
  public:
    LaneLines(const RankFile& file, LaneBlocks blocks, const DumpFilter& filter, GlobalTime zero);

    // Returns the next line, or nullptr at the end.
    [[nodiscard]] const DumpLine* head();
    void drop_head();
    [[nodiscard]] const std::vector<Error>& unreadable() const { return walk_.unreadable(); }

  private:
    [[nodiscard]] bool wanted(const Record& record) const;
    [[nodiscard]] LaneBlocks blocks_in_time(LaneBlocks blocks) const;
    [[nodiscard]] double time_of(Ticks tick) const {
        const GlobalTime time = shown_time(*file_, tick);
        return 1e-9 * ns_from(zero_, delay_ != nullptr ? within_reach(time) - delay_->at(tick) : time);
    }
    void put(const Record& record, Words words);
    [[nodiscard]] const DumpLine* next_line(); // the next line that is not about a region
    [[nodiscard]] DumpLine line_of(Ticks tick, const std::string& text) const;
    void put_line(Ticks tick, const std::string& text);

    const RankFile* file_;
    const DumpFilter* filter_;
    GlobalTime zero_;
    const DelayLine* delay_ = nullptr;
    LaneWalk walk_;
    RegionLines regions_;
    DumpLine region_; // the next line about a region; only valid if region_is_head_
    bool region_is_head_ = false;
    std::deque<DumpLine> nested_; // lines of nested calls; the record of the call around them follows them in the lane
    std::deque<DumpLine> lines_;
};

// Calls `take` for each line, in the order of time, then rank, then lane. Times are in seconds since `zero`. Adds to
// `unreadable` what had to be skipped.
void merge_lines(const std::vector<const RankFile*>& files, const DumpFilter& filter, GlobalTime zero,
                 const std::function<void(const DumpLine&)>& take, std::vector<Error>& unreadable);

} // namespace tactus
