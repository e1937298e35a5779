#include "postproc/compensate/compensate.hpp"

#include "postproc/compensate/rank_delays.hpp"
#include "postproc/replay/thread_wire.hpp"
#include "trace/run_ends.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace tactus {
namespace {

// Reads the events of the ranks that this process plays. Where they are many they go into files beside the trace; if
// that fails, all are read into memory. Returns false when there is no room or no time left.
bool read_events(const Trace& trace, ReplayWire& wire, std::vector<std::uint32_t>& indices,
                 std::vector<RankEvents>& ranks) {
    constexpr std::size_t in_memory = std::size_t{64} << 20;
    for (const PagingTo& paging : {paging_of_ranks(trace.path.c_str(), in_memory, trace.ranks.size()), PagingTo{}}) {
        std::vector<std::int64_t> any{0};
        indices.clear();
        ranks.clear();
        for (std::uint32_t i = 0; i < trace.ranks.size(); ++i) {
            if (!wire.plays(trace.ranks[i].header().rank)) continue;
            indices.push_back(i);
            ranks.push_back(events_of(trace.ranks[i], {.paging = paging, .stop = [&] { return wire.is_late(); }}));
            if (ranks.back().too_many) any[0] = 1;
        }
        wire.find_most(any);
        if (any[0] == 0) return true;
        if (wire.out_of_time()) return false;
    }
    return false;
}

struct PartOfThread {
    bool done = true;    // false: there was no room
    Compensation counts; // of the ranks that the thread played
};

PartOfThread noted(const Trace& trace, const ReplayWire& wire, const TakeDelayed& take) {
    PartOfThread result;
    result.counts.ranks.resize(trace.ranks.size());
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
        const RankFile& file = trace.ranks[rank];
        if (!wire.plays(file.header().rank)) continue;
        const RecordCosts costs{file};
        for (const LaneBlocks blocks : lanes_of(file)) {
            LaneWalk walk{file, blocks};
            double delay = 0;
            Ticks noted_leave = 0; // of the call that the last note is about
            double noted_before = 0;
            double noted_after = 0;
            while (walk.next()) {
                const Record& record = walk.record();
                const Words words = walk.words();
                double at_enter = delay + costs.before(record, walk.sealed());
                delay = at_enter + costs.before_work(record, words) + costs.inside(record) + measured_ns(file, record);
                if (record.what.kind == Kind::delay && words.size() >= 2) {
                    ++result.counts.ranks[rank].notes;
                    noted_leave = record.leave;
                    noted_before = static_cast<double>(words[0]);
                    noted_after = static_cast<double>(words[1]);
                } else if (record.what.kind == Kind::call && record.leave == noted_leave) {
                    at_enter = noted_before;
                    delay = noted_after;
                }
                if (begins_run(record.what)) at_enter = delay = 0;
                take({rank, walk.lane(), record, words, at_enter, delay});
                if (begins_run(record.what)) delay = starting_ns(file);
                delay += costs.after(record, words);
            }
        }
    }
    return result;
}

// Computes the delays of the ranks that this process plays. The result counts these ranks alone.
PartOfThread computed(const Trace& trace, ReplayWire& wire, const TakeDelayed& take) {
    PartOfThread result;
    result.counts.ranks.resize(trace.ranks.size());
    std::vector<std::uint32_t> indices;
    std::vector<RankEvents> ranks;
    result.done = read_events(trace, wire, indices, ranks);
    if (!result.done) return result;
    const MatchedEvents matched = match_events(ranks, wire);
    std::vector<ProcessClock> clocks;
    for (const std::uint32_t i : indices) clocks.push_back(trace.ranks[i].clock());
    const PlayedDelays delays = compensate_played(
        trace, {.indices = indices, .clocks = clocks, .events = ranks, .matched = matched}, wire, take);
    for (std::size_t i = 0; i < indices.size(); ++i) result.counts.ranks[indices[i]] = delays.ranks[i];
    result.counts.unmatched = matched.unmatched;
    result.counts.unknown =
        std::accumulate(matched.unmatched_others.begin(), matched.unmatched_others.end(), std::uint64_t{0});
    if (wire.plays(0)) result.counts.unknown += delays.released; // every process has the count of all
    return result;
}

void add(Compensation& all, const Compensation& part) {
    for (std::size_t i = 0; i < part.ranks.size(); ++i) {
        all.ranks[i] += part.ranks[i];
        all.all += part.ranks[i];
    }
    all.unknown += part.unknown;
    for (std::size_t i = 0; i < unmatched_count; ++i) all.unmatched[i] += part.unmatched[i];
}

} // namespace

DelayCounts& DelayCounts::operator+=(const DelayCounts& more) {
    messages += more.messages;
    collectives += more.collectives;
    notes += more.notes;
    return *this;
}

std::uint32_t threads_for(const Trace& trace) {
    const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
    return std::clamp<std::uint32_t>(std::thread::hardware_concurrency(), 1, std::max<std::uint32_t>(ranks, 1));
}

Result<Compensation> compensate(const Trace& trace, DelaySource source, const TakeDelayed& take,
                                std::uint32_t threads) {
    if (trace.ranks.empty()) return Compensation{};
    ThreadHub hub{threads, trace.world_size()};
    std::vector<PartOfThread> parts(threads);
    std::vector<std::thread> others;
    const auto work = [&](std::uint32_t number) {
        ThreadWire wire{hub, number};
        parts[number] = source == DelaySource::noted ? noted(trace, wire, take) : computed(trace, wire, take);
    };
    for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& other : others) other.join();
    Compensation all;
    all.ranks.resize(trace.ranks.size());
    for (const PartOfThread& part : parts) {
        if (!part.done)
            return Error{.what = "the run without the tracer cannot be computed: there is no room for its events, "
                                 "neither beside the trace nor in memory",
                         .file = trace.path};
        add(all, part.counts);
    }
    return all;
}

} // namespace tactus
