#include "cli/dump/dump_regions.hpp"

#include "cli/dump/dump_application.hpp"

#include <algorithm>

namespace tactus {

RegionLines::RegionLines(const RankFile& file, LaneBlocks blocks, bool events,
                         const std::function<bool(const Record&)>& wanted)
    : file_{&file}, events_{events} {
    if (file.closed() && file.definitions().symbols.empty()) return;
    LaneWalk walk{file, blocks};
    while (walk.next()) {
        const Record& record = walk.record();
        if (record.what.kind != Kind::region || !wanted(record)) continue;
        lines_.push_back({record, false});
        if (events) lines_.push_back({record, true});
    }
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return tick_of(a) < tick_of(b); });
}

std::string RegionLines::text() const {
    const Line& line = lines_[next_];
    if (!events_) return region_text(*file_, line.region);
    const std::string name = symbol_text(*file_, line.region.what.type);
    if (!line.at_end) return "enter region " + name;
    return "exit region " + name + (line.region.what.has(flag::unfinished) ? "  unfinished" : "");
}

} // namespace tactus
