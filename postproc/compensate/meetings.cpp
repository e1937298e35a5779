#include "postproc/compensate/meetings.hpp"

#include "trace/lane_walk.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {
namespace {

constexpr double no_time = -std::numeric_limits<double>::infinity();

bool everybody_waits(Pattern pattern) { return pattern == Pattern::barrier || pattern == Pattern::all_to_all; }

MeetingKey key_of(std::uint64_t identity, std::uint64_t number) {
    MeetingKey key = (identity ^ (number + 1) * 0x9e3779b97f4a7c15U) * 0xc2b2ae3d27d4eb4fU;
    key ^= key >> 29;
    return key != 0 ? key : 1;
}

// Whether `take` says so of each rank; a damaged file may have any runs.
template <class Take> bool all_of_runs(const std::vector<RankRun>& runs, std::uint64_t size, const Take& take) {
    for (const RankRun& run : runs) {
        std::uint64_t rank = static_cast<std::uint64_t>(run.first);
        for (std::int64_t i = 0; i < run.count && rank < size; ++i, rank += static_cast<std::uint64_t>(run.stride)) {
            if (!take(static_cast<std::int64_t>(rank))) return false;
            if (run.stride == 0) break;
        }
    }
    return true;
}

} // namespace

Meetings::Meetings(const Trace& trace, const Pairing& pairing) : pairing_{pairing} {
    bool all = trace.finished();
    for (const RankFile& file : trace.ranks) all = all && pairing.complete.contains(file.header().rank);
    for (const RankFile& file : trace.ranks) {
        Rank& rank = ranks_.emplace_back();
        rank.file = &file;
        rank.usable = all;
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
    calls.repeated = enter == calls.last ? calls.repeated + 1 : 0;
    calls.last = enter;
    if (!calls.enters.empty()) {
        const auto at = std::lower_bound(calls.enters.begin(), calls.enters.end(), enter);
        number = static_cast<std::uint64_t>(at - calls.enters.begin()) + calls.repeated;
    }
    // A damaged file may say anything.
    if (!own.usable || comm == nullptr || !comm->remote.empty() || comm->size() > ranks_.size() ||
        comm->my_rank >= comm->size() || pairing_.collectives_missing.contains(comm->identity))
        return 0;
    const MeetingKey key = key_of(comm->identity, number);
    if (!own.inside.insert(key).second) return 0;
    CompensatedMeeting& meeting = meetings_.try_emplace(key).first->second;
    if (meeting.came == 0) {
        meeting.pattern = pattern;
        meeting.size = static_cast<std::uint32_t>(comm->size());
        meeting.entered = meeting.undelayed = no_time;
        meeting.root = static_cast<std::uint32_t>(std::max(root, 0));
    }
    ++meeting.came;
    meeting.entered = std::max(meeting.entered, entered);
    meeting.undelayed = std::max(meeting.undelayed, undelayed);
    const CompensatedMeeting::Member member{entered, undelayed};
    if (comm->my_rank == meeting.root) meeting.at_root = member;
    if (pattern == Pattern::prefix || pattern == Pattern::neighbors) {
        meeting.members.resize(meeting.size);
        if (comm->my_rank < meeting.size) meeting.members[comm->my_rank] = member;
    }
    return key;
}

bool Meetings::look(MeetingKey key, std::size_t rank, std::uint32_t comm_number, Needed& needed) const {
    needed = {no_time, no_time, true};
    const auto known = meetings_.find(key);
    if (known == meetings_.end()) return true;
    const CompensatedMeeting& meeting = known->second;
    const Comm& comm = *ranks_[rank].file->comm(comm_number);
    needed = {meeting.entered, meeting.undelayed, false};
    if (everybody_waits(meeting.pattern)) return meeting.came >= meeting.size;
    if (meeting.pattern == Pattern::all_to_one) {
        needed.nobody = comm.my_rank != meeting.root;
        return needed.nobody || meeting.came >= meeting.size;
    }
    needed = {no_time, no_time, true};
    const auto take = [&](std::int64_t other) {
        if (other == std::int64_t{comm.my_rank}) return true;
        const bool root = meeting.pattern == Pattern::one_to_all;
        if (!root && static_cast<std::size_t>(other) >= meeting.members.size()) return false; // has not come
        const CompensatedMeeting::Member& member =
            root ? meeting.at_root : meeting.members[static_cast<std::size_t>(other)];
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
    return all_of_runs(comm.sources, comm.size(), take);
}

std::vector<std::size_t>& Meetings::waiting(MeetingKey key) {
    const auto known = meetings_.find(key);
    return known != meetings_.end() ? known->second.waiting : nobody_;
}

void Meetings::leave(MeetingKey key, std::size_t rank) {
    ranks_[rank].inside.erase(key);
    const auto known = meetings_.find(key);
    if (known != meetings_.end() && ++known->second.left >= known->second.size) meetings_.erase(known);
}

} // namespace tactus
