#include "postproc/export/steps.hpp"

#include "trace/shown_time.hpp"

#include <algorithm>
#include <queue>

namespace tactus {

const DelayLine* StepClock::delay_of(std::uint32_t rank, std::uint32_t lane) const {
    if (delays_ == nullptr) return nullptr;
    const auto found = delays_->find({rank, lane});
    return found != delays_->end() ? &found->second : nullptr;
}

std::uint64_t StepClock::at(const RankFile& file, const DelayLine* delay, Ticks tick) const {
    GlobalTime time = shown_time(file, tick);
    if (delay != nullptr) time = within_reach(time) - delay->at(tick);
    return static_cast<std::uint64_t>(std::max(time, begin_)) - static_cast<std::uint64_t>(begin_);
}

LaneSteps::LaneSteps(const RankFile& file, LaneBlocks blocks, const StepClock& clock)
    : file_{&file}, clock_{&clock}, delay_{clock.delay_of(file.header().rank, blocks.front().lane)}, walk_{file,
                                                                                                           blocks} {
    step_.lane = blocks.front().lane;
    find_around(blocks);
    more_ = walk_.next();
}

// The index shows which blocks have records that begin before the block. But not every writer's index shows it for
// regions.
void LaneSteps::find_around(LaneBlocks blocks) {
    bool needed = !file_->closed() || !file_->definitions().symbols.empty();
    for (std::size_t i = 1; i < blocks.size(); ++i) needed = needed || blocks[i].first < blocks[i - 1].last;
    if (!needed) return;
    looked_ahead_ = true;
    LaneWalk walk{*file_, blocks};
    Ticks before = 0;
    Ticks last = 0;
    for (std::uint64_t number = 0; walk.next(); ++number) {
        const Record& record = walk.record();
        if (walk.sealed() > 0) before = last;
        last = std::max(last, record.leave);
        if (is_span(record) && record.enter < before)
            around_.push_back({record, {walk.words().begin(), walk.words().end()}, number});
    }
}

std::uint64_t LaneSteps::time_of(Ticks tick) {
    last_time_ = std::max(last_time_, clock_->at(*file_, delay_, tick));
    return last_time_;
}

void LaneSteps::hold_batch() {
    held_ = 0;
    do {
        if (held_ == batch_.size()) batch_.emplace_back();
        HeldRecord& held = batch_[held_++];
        held.record = walk_.record();
        held.words.assign(walk_.words().begin(), walk_.words().end());
        held.number = number_++;
        more_ = walk_.next();
    } while (more_ && walk_.sealed() == 0);
}

// Puts everything in order that begins before the end of this batch, whether its record is in the batch or in around_.
void LaneSteps::order_batch() {
    Ticks end = 0;
    for (std::size_t i = 0; i < held_; ++i) end = std::max(end, batch_[i].record.leave);
    std::vector<const HeldRecord*> openers;
    for (std::size_t i = 0; i < held_; ++i)
        if (is_span(batch_[i].record) && (batch_[i].record.enter >= batch_begin_ || !looked_ahead_))
            openers.push_back(&batch_[i]);
    for (const HeldRecord& held : around_)
        if (held.number >= number_ && held.record.enter >= batch_begin_ && held.record.enter < end)
            openers.push_back(&held);
    // A record that encloses others is stored after them.
    std::sort(openers.begin(), openers.end(), [](const HeldRecord* a, const HeldRecord* b) {
        return a->record.enter != b->record.enter ? a->record.enter < b->record.enter : a->number > b->number;
    });
    edges_.clear();
    auto opener = openers.begin();
    for (std::size_t i = 0; i < held_; ++i) {
        const HeldRecord& held = batch_[i];
        const Ticks at = held.record.leave;
        for (; opener != openers.end() && ((*opener)->record.enter < at || (*opener)->number <= held.number); ++opener)
            edges_.push_back({StepKind::enter, (*opener)->record.enter, *opener});
        edges_.push_back({is_span(held.record) ? StepKind::leave : StepKind::instant, at, &held});
    }
    for (; opener != openers.end(); ++opener) edges_.push_back({StepKind::enter, (*opener)->record.enter, *opener});
    batch_begin_ = end;
    next_edge_ = 0;
}

bool LaneSteps::load() {
    while (!around_.empty() && around_.front().number < number_) around_.pop_front();
    if (!more_) return false;
    hold_batch();
    order_batch();
    return true;
}

bool LaneSteps::next() {
    if (next_edge_ == edges_.size() && !load()) return false;
    const Edge& edge = edges_[next_edge_++];
    step_.kind = edge.kind;
    step_.time = time_of(edge.tick);
    step_.tick = edge.tick;
    step_.record = &edge.held->record;
    step_.words = edge.held->words;
    return true;
}

void for_each_step(const RankFile& file, const StepClock& clock, const TakeStep& take, std::vector<Error>& unreadable) {
    std::deque<LaneSteps> lanes; // which stay where they are
    for (const LaneBlocks blocks : lanes_of(file)) lanes.emplace_back(file, blocks, clock);
    using Next = std::pair<Ticks, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (std::size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i].next()) next.emplace(lanes[i].step().tick, i);
    while (!next.empty()) {
        LaneSteps& lane = lanes[next.top().second];
        const std::size_t i = next.top().second;
        next.pop();
        const Ticks until = next.empty() ? ~Ticks{0} : next.top().first;
        bool more = true;
        do {
            take(lane.step());
            more = lane.next();
        } while (more && lane.step().tick < until);
        if (more) next.emplace(lane.step().tick, i);
    }
    for (const LaneSteps& lane : lanes)
        for (const Error& error : lane.unreadable()) keep_error(unreadable, error);
}

GlobalTime begin_of(const Trace& trace) {
    GlobalTime begin = trace.zero;
    for (const RankFile& file : trace.ranks)
        for (const LaneBlocks blocks : lanes_of(file))
            begin = std::min(begin, file.clock().at(std::min(blocks.front().first, blocks.back().first)));
    constexpr GlobalTime ns = static_cast<GlobalTime>(time_units_per_ns);
    const GlobalTime rest = begin % ns;
    return rest == 0 ? begin : begin - (rest < 0 ? rest + ns : rest);
}

} // namespace tactus
