#include "cli/dump/dump_merge.hpp"

#include "cli/dump/dump_events.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <queue>

namespace tactus {

namespace {

const DelayLine* delay_of(const RankFile& file, LaneBlocks blocks, const DumpFilter& filter) {
    if (filter.delays == nullptr || blocks.empty()) return nullptr;
    const auto line = filter.delays->find({file.header().rank, blocks.front().lane});
    return line != filter.delays->end() ? &line->second : nullptr;
}

} // namespace

LaneLines::LaneLines(const RankFile& file, LaneBlocks blocks, const DumpFilter& filter, GlobalTime zero)
    : file_{&file}, filter_{&filter}, zero_{zero}, delay_{delay_of(file, blocks, filter)},
      walk_{file, blocks_in_time(blocks)}, regions_{file, blocks_in_time(blocks), filter.events,
                                                    [this](const Record& record) { return wanted(record); }} {}

// The blocks of a lane follow each other in time, so those before and after the window need not be read.
LaneBlocks LaneLines::blocks_in_time(LaneBlocks blocks) const {
    while (!blocks.empty() && time_of(blocks.front().last) < filter_->from_s) blocks = blocks.subspan(1);
    while (!blocks.empty() && time_of(blocks.back().first) > filter_->to_s) blocks = blocks.first(blocks.size() - 1);
    return blocks;
}

bool LaneLines::wanted(const Record& record) const {
    const auto& chosen = filter_->functions;
    if (!chosen.empty() && (record.what.kind != Kind::call ||
                            std::find(chosen.begin(), chosen.end(), record.what.function) == chosen.end()))
        return false;
    return time_of(record.leave) >= filter_->from_s && time_of(record.enter) <= filter_->to_s;
}

DumpLine LaneLines::line_of(Ticks tick, const std::string& text) const {
    const double time = time_of(tick);
    return {time, fmt::format("{:.9f} rank {} lane {}  {}", time, file_->header().rank, walk_.lane(), text)};
}

void LaneLines::put_line(Ticks tick, const std::string& text) { lines_.push_back(line_of(tick, text)); }

void LaneLines::put(const Record& record, Words words) {
    if (!filter_->events) {
        put_line(line_tick(record), record_text(*file_, record, words));
        return;
    }
    for (const EventLine& line : event_lines(*file_, record, words)) put_line(line.tick, line.text);
}

const DumpLine* LaneLines::head() {
    const DumpLine* line = next_line();
    region_is_head_ = !regions_.empty() && (line == nullptr || time_of(regions_.tick()) < line->time_s);
    if (!region_is_head_) return line;
    region_ = line_of(regions_.tick(), regions_.text());
    return &region_;
}

void LaneLines::drop_head() {
    if (region_is_head_)
        regions_.drop();
    else
        lines_.pop_front();
}

const DumpLine* LaneLines::next_line() {
    while (lines_.empty()) {
        if (!walk_.next()) {
            if (nested_.empty()) return nullptr;
            lines_.swap(nested_); // The call around them never returned.
            return &lines_.front();
        }
        const Record& record = walk_.record();
        if (record.what.kind != Kind::region && wanted(record)) put(record, walk_.words());
        // Notes of the tracer between nested calls stay among them.
        if (record.what.has(flag::nested) || (!nested_.empty() && record.what.kind != Kind::call)) {
            nested_.insert(nested_.end(), lines_.begin(), lines_.end());
            lines_.clear();
            continue;
        }
        nested_.insert(nested_.end(), lines_.begin(), lines_.end());
        lines_.swap(nested_);
        nested_.clear();
        std::stable_sort(lines_.begin(), lines_.end(),
                         [](const DumpLine& a, const DumpLine& b) { return a.time_s < b.time_s; });
    }
    return &lines_.front();
}

void merge_lines(const std::vector<const RankFile*>& files, const DumpFilter& filter, GlobalTime zero,
                 const std::function<void(const DumpLine&)>& take, std::vector<Error>& unreadable) {
    std::vector<LaneLines> lanes; // by rank, then lane
    for (const RankFile* file : files) {
        for (const LaneBlocks blocks : lanes_of(*file)) lanes.emplace_back(*file, blocks, filter, zero);
        if (!samples_of(*file).empty()) lanes.emplace_back(*file, samples_of(*file), filter, zero);
    }

    using Next = std::pair<double, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (std::size_t i = 0; i < lanes.size(); ++i)
        if (const DumpLine* line = lanes[i].head()) next.emplace(line->time_s, i);
    while (!next.empty()) {
        const std::size_t i = next.top().second;
        next.pop();
        take(*lanes[i].head());
        lanes[i].drop_head();
        if (const DumpLine* line = lanes[i].head()) next.emplace(line->time_s, i);
    }
    for (const LaneLines& lane : lanes)
        for (const Error& error : lane.unreadable()) keep_error(unreadable, error);
}

} // namespace tactus
