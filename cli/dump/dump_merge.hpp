// Lines of several lanes in the order of global time, with one block of each lane in memory.
#pragma once

#include "cli/dump/dump_regions.hpp"
#include "postproc/compensate/delay_lines.hpp"
#include "trace/lane_walk.hpp"
#include "trace/rank_file.hpp"

#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tactus {

struct DumpFilter {
    double from_s = -std::numeric_limits<double>::infinity();
    double to_s = std::numeric_limits<double>::infinity();
    std::vector<Function> functions; // none: all
    bool events = false;
    const DelayLines* delays = nullptr; // to be taken off all times
};

struct DumpLine {
    double time_s = 0;
    std::string text;
};

// The lines of one lane.
class LaneLines {
  public:
    LaneLines(const RankFile& file, LaneBlocks blocks, const DumpFilter& filter, GlobalTime zero);

    // The next line; nullptr at the end.
    [[nodiscard]] const DumpLine* head();
    void drop_head();
    [[nodiscard]] const std::vector<Error>& unreadable() const { return walk_.unreadable(); }

  private:
    [[nodiscard]] bool wanted(const Record& record) const;
    [[nodiscard]] LaneBlocks blocks_in_time(LaneBlocks blocks) const;
    [[nodiscard]] double time_of(Ticks tick) const {
        const double delay_ns = delay_ != nullptr ? delay_->at(tick) : 0;
        return 1e-9 * (ns_from(zero_, file_->clock().at(tick)) - delay_ns);
    }
    void put(const Record& record, Words words);
    [[nodiscard]] const DumpLine* next_line(); // of all but regions
    [[nodiscard]] DumpLine line_of(Ticks tick, const std::string& text) const;
    void put_line(Ticks tick, const std::string& text);

    const RankFile* file_;
    const DumpFilter* filter_;
    GlobalTime zero_;
    const DelayLine* delay_ = nullptr;
    LaneWalk walk_;
    RegionLines regions_;
    DumpLine region_; // the next, once asked for
    bool region_is_head_ = false;
    std::deque<DumpLine> nested_; // of a call whose own record, which is stored when it returns, is still to come
    std::deque<DumpLine> lines_;
};

// Calls `take` for each line, its time in seconds since `zero`, by time, then rank, then lane; adds to `unreadable`
// what had to be passed over.
void merge_lines(const std::vector<const RankFile*>& files, const DumpFilter& filter, GlobalTime zero,
                 const std::function<void(const DumpLine&)>& take, std::vector<Error>& unreadable);

} // namespace tactus
