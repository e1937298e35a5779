#include "postproc/compensate/meetings.hpp"

#include "trace/lane_walk.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

bool everybody_waits(Pattern pattern) { return pattern == Pattern::barrier || pattern == Pattern::all_to_all; }

MeetingKey key_of(std::uint64_t identity, std::uint64_t number) {
    MeetingKey key = (identity ^ (number + 1) * 0x9e3779b97f4a7c15U) * 0xc2b2ae3d27d4eb4fU;
    key ^= key >> 29;
    return key != 0 ? key : 1;
}

std::vector<std::int64_t> list_of(const std::vector<RankRun>& runs) {
    std::vector<std::int64_t> ranks;
    for (const RankRun& run : runs)
        for (std::int64_t i = 0; i < run.count; ++i) ranks.push_back(run.first + i * run.stride);
    return ranks;
}

} // namespace

Meetings::Meetings(const Trace& trace, const Pairing& pairing) : pairing_{pairing} {
    bool all = trace.finished();
    for (const RankFile& file : trace.ranks) all = all && pairing.complete.contains(file.header().rank);
    for (const RankFile& file : trace.ranks) {
        Rank& rank = ranks_.emplace_back(Rank{.file = &file, .usable = all, .calls = {}});
        if (lanes_of(file).size() > 1) order_of_threads(rank);
    }
}

// Any thread may make the next one, but one at a time (MPI-4.0, 6.14).
void Meetings::order_of_threads(Rank& rank) {
    for (const LaneBlocks blocks : lanes_of(*rank.file)) {
        LaneWalk walk{*rank.file, blocks};
        while (walk.next()) {
            const Record& record = walk.record();
            if (record.what.kind != Kind::call || record.what.has(flag::failed)) continue;
            if (is_collective(record.what.function)) rank.calls[record.what.comm].enters.push_back(record.enter);
            for (const Started& one : starts_of(record, walk.words()))
                if (pattern_of(shape_of(one.function)) != Pattern::none)
                    rank.calls[one.comm].enters.push_back(record.enter);
        }
    }
    for (auto& [comm, calls] : rank.calls) std::sort(calls.enters.begin(), calls.enters.end());
}

MeetingKey Meetings::join(std::size_t rank, std::uint32_t comm_number, Ticks enter, Pattern pattern, std::int32_t root,
                          double entered, double undelayed) {
    Rank& own = ranks_[rank];
    const Comm* const comm = own.file->comm(comm_number);
    Calls& calls = own.calls[comm_number];
    std::uint64_t number = calls.made++;
    if (!calls.enters.empty()) {
        const auto at = std::lower_bound(calls.enters.begin(), calls.enters.end(), enter);
        number = static_cast<std::uint64_t>(at - calls.enters.begin());
    }
    constexpr std::uint64_t most_members = 1 << 24; // a damaged file may say anything
    if (!own.usable || comm == nullptr || !comm->remote.empty() || comm->size() > most_members ||
        comm->my_rank >= comm->size() || pairing_.collectives_missing.contains(comm->identity))
        return 0;
    const MeetingKey key = key_of(comm->identity, number);
    Meeting& meeting = meetings_.try_emplace(key).first->second;
    if (meeting.came == 0) {
        meeting.pattern = pattern;
        meeting.size = static_cast<std::uint32_t>(comm->size());
        meeting.entered = meeting.undelayed = never;
        meeting.root = static_cast<std::uint32_t>(std::max(root, 0));
    }
    ++meeting.came;
    meeting.entered = std::max(meeting.entered, entered);
    meeting.undelayed = std::max(meeting.undelayed, undelayed);
    if (pattern == Pattern::prefix || pattern == Pattern::neighbors || pattern == Pattern::one_to_all) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        meeting.members.resize(meeting.size, {unknown, unknown});
        if (comm->my_rank < meeting.size) meeting.members[comm->my_rank] = {entered, undelayed};
    }
    return key;
}

bool Meetings::look(MeetingKey key, std::size_t rank, std::uint32_t comm_number, Needed& needed) const {
    const Meeting& meeting = meetings_.at(key);
    const Comm& comm = *ranks_[rank].file->comm(comm_number);
    needed = {meeting.entered, meeting.undelayed, false};
    if (everybody_waits(meeting.pattern)) return meeting.came >= meeting.size;
    if (meeting.pattern == Pattern::all_to_one) {
        needed.nobody = comm.my_rank != meeting.root;
        return needed.nobody || meeting.came >= meeting.size;
    }
    needed = {never, never, true};
    const auto take = [&](std::int64_t other) {
        if (other < 0 || other >= std::int64_t{meeting.size} || other == std::int64_t{comm.my_rank}) return true;
        const Meeting::Member& member = meeting.members[static_cast<std::size_t>(other)];
        if (std::isnan(member.entered)) return false;
        needed = {std::max(needed.entered, member.entered), std::max(needed.undelayed, member.undelayed), false};
        return true;
    };
    if (meeting.pattern == Pattern::one_to_all) return take(meeting.root);
    if (meeting.pattern == Pattern::prefix) {
        for (std::int64_t lower = 0; lower < std::int64_t{comm.my_rank}; ++lower)
            if (!take(lower)) return false;
        return true;
    }
    const std::vector<std::int64_t> sources = list_of(comm.sources);
    return std::all_of(sources.begin(), sources.end(), take);
}

void Meetings::leave(MeetingKey key) {
    const auto at = meetings_.find(key);
    if (++at->second.left >= at->second.size) meetings_.erase(at);
}

} // namespace tactus
