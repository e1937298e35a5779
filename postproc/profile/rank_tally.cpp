#include "postproc/profile/rank_tally.hpp"

#include "postproc/profile/moved.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tactus {

void RankTally::reach(Ticks enter, Ticks leave) {
    first = std::min(first, enter);
    last = std::max(last, leave);
}

void RankTally::add(const RankFile& file, const Record& record, Words words) {
    const Signature& what = record.what;
    if (what.kind == Kind::call) add_call(file, record, words);
    // A trace without MPI has only the records of NCCL.
    if (what.kind == Kind::nccl && file.header().mpi.empty()) reach(record.enter, record.leave);
    if (what.kind == Kind::comment && window.holds(record.leave)) ++comments;
    if (what.kind == Kind::sync && what.type != static_cast<std::uint32_t>(RoundReason::init))
        measuring += window.part_of(record.enter, record.leave);
}

void RankTally::add_call(const RankFile& file, const Record& record, Words words) {
    reach(record.enter, record.leave);
    const std::uint64_t count = calls_of(record);
    if (count == 0) return;
    const Spent own = own_time(record);
    if (!window.touches(record.enter, record.leave)) return;
    const Signature& what = record.what;
    Tally& tally = calls[{what.place, what.function}];
    tally.time += own.in_window;
    if (!window.holds(record.leave)) return;
    tally.calls += count;
    tally.failed += what.has(flag::failed) ? count : 0;
    tally.sum += own.whole;
    // Of several calls in a record only the sum of their times is known, so each gets the average.
    tally.shortest = std::min(tally.shortest, own.whole / count);
    tally.longest = std::max(tally.longest, own.whole / count);
    const Moved moved = bytes_moved(record, words, [&](std::uint32_t number) { return file.comm(number); });
    tally.sent_bytes += moved.sent;
    tally.received_bytes += moved.received;
    add_messages(file, record, words);
}

void RankTally::add_messages(const RankFile& file, const Record& record, Words words) {
    for (const SentMessage& message : messages_sent(record, words)) {
        const Comm* its_comm = file.comm(message.comm);
        const std::int64_t to = its_comm != nullptr ? its_comm->world_rank(message.peer) : -1;
        if (to < 0 || to > std::int64_t{UINT32_MAX}) {
            ++unplaced;
            continue;
        }
        Sent& channel = sent[static_cast<std::uint32_t>(to)];
        ++channel.messages;
        channel.bytes += message.bytes;
    }
}

// The time of a call without the calls nested in it.
RankTally::Spent RankTally::own_time(const Record& record) {
    const Spent nested = time_of_nested(record);
    const Ticks whole = difference_or_zero(inside_of(record), nested.whole);
    if (record.what.has(flag::repeated)) return {whole, window.part_of(record.enter, record.leave, whole)};
    return {whole, difference_or_zero(window.part_of(record.enter, record.leave), nested.in_window)};
}

// The time of the calls nested in this one. A call made in a callback has its record before that of the call around it.
RankTally::Spent RankTally::time_of_nested(const Record& record) {
    Spent time;
    for (; !nested_.empty() && nested_.back().enter >= record.enter; nested_.pop_back()) {
        const auto [enter, leave] = nested_.back();
        time.whole += leave - enter;
        time.in_window += window.part_of(enter, leave);
    }
    if (record.what.has(flag::nested)) nested_.push_back({record.enter, record.leave});
    return time;
}

void RankTally::add_lane(const RankFile& file, LaneBlocks lane, CoreTimeTally& core_time) {
    if (const TickSpan ran = span_of(lane); window.touches(ran.first, ran.last) && is_thread(file, lane)) ++lanes;
    // For blocks that are not read it is enough to know whether their calls are before the window or after it.
    const Ticks first_before = std::exchange(first, ~Ticks{0});
    const Ticks last_before = std::exchange(last, 0);
    for (const IndexEntry& block : lane)
        if (block.calls > 0 && !window.touches(block.first, block.last)) reach(block.first, block.last);
    nested_.clear();
    for (const LaneBlocks blocks : blocks_in(file, lane, window)) {
        LaneWalk walk{file, blocks};
        core_time.begin_blocks(blocks.data() == lane.data() ? 0 : blocks.front().first);
        while (walk.next()) {
            add(file, walk.record(), walk.words());
            core_time.add(file, walk.record(), walk.words());
        }
        for (const Error& error : walk.unreadable()) keep_error(unreadable, error);
    }
    threads += window.part_of(first, last);
    reach(first_before, last_before);
}

void RankTally::extend_finalize(const FinalizeWait& wait) {
    reach(wait.begin, wait.end);
    const Ticks inside = window.part_of(wait.begin, wait.end);
    const bool counted = window.holds(wait.begin);
    if (!counted && inside == 0) return;
    threads += inside;
    Tally& tally = calls[{wait.place, wait.function}];
    tally.time += inside;
    if (!counted) return;
    const Ticks whole = wait.end - wait.begin;
    tally.sum += whole;
    tally.longest += whole; // there is one call
    tally.shortest += whole;
}

RankTally tally_rank(const RankFile& file, const TickWindow& window) {
    RankTally tally;
    tally.window = window;
    CoreTimeTally core_time{window, file.definitions()};
    std::optional<std::uint32_t> first_thread; // the first lane with calls
    for (const LaneBlocks lane : lanes_of(file)) {
        const bool calls = std::ranges::any_of(lane, [](const IndexEntry& block) { return block.calls > 0; });
        const bool first = calls && !first_thread;
        if (first) first_thread = lane.front().lane;
        core_time.begin_lane(first);
        tally.add_lane(file, lane, core_time);
        core_time.end_lane();
    }
    tally.use = core_time.take();
    SampleTally sampled{file, window, first_thread.value_or(0)};
    LaneWalk walk{file, samples_of(file)};
    while (walk.next()) sampled.add(walk.record(), walk.words());
    for (const Error& error : walk.unreadable()) keep_error(tally.unreadable, error);
    tally.samples = sampled.take();
    return tally;
}

} // namespace tactus
