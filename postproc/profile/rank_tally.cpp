#include "postproc/profile/rank_tally.hpp"

#include "postproc/profile/moved.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>

namespace tactus {

void RankTally::add(const RankFile& file, const Record& record, Words words) {
    const Signature& what = record.what;
    if (what.kind == Kind::comment) ++comments;
    if (what.kind != Kind::call) return;
    first = std::min(first, record.enter);
    last = std::max(last, record.leave);
    const std::uint64_t count = calls_of(record);
    if (count == 0) return;
    const Ticks inside = inside_of(record) - std::min(inside_of(record), time_of_nested(record));
    const Moved moved = bytes_moved(record, words, [&](std::uint32_t number) { return file.comm(number); });

    Tally& tally = calls[{what.place, what.function}];
    tally.calls += count;
    tally.failed += what.has(flag::failed) ? count : 0;
    tally.time += inside;
    // Of several calls in one record only their sum is known.
    tally.shortest = std::min(tally.shortest, inside / count);
    tally.longest = std::max(tally.longest, inside / count);
    tally.sent_bytes += moved.sent;
    tally.received_bytes += moved.received;

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

// Calls made in callbacks stand in the lane in front of the call around them.
Ticks RankTally::time_of_nested(const Record& record) {
    Ticks time = 0;
    for (; !nested.empty() && nested.back().enter >= record.enter; nested.pop_back())
        time += nested.back().leave - nested.back().enter;
    if (record.what.has(flag::nested)) nested.push_back({record.enter, record.leave});
    return time;
}

RankTally tally_rank(const RankFile& file) {
    RankTally tally;
    for (const LaneBlocks blocks : lanes_of(file)) {
        ++tally.lanes;
        tally.nested.clear();
        LaneWalk walk{file, blocks};
        while (walk.next()) tally.add(file, walk.record(), walk.words());
        for (const Error& error : walk.unreadable()) keep_error(tally.unreadable, error);
    }
    return tally;
}

} // namespace tactus
