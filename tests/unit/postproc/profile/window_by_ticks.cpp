#include "tests/unit/postproc/profile/window_by_ticks.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

std::int64_t ticks(double seconds) { return std::llround(1e9 * seconds); }

// Marks every tick of a rank as being in the window or not.
class RankByTicks {
  public:
    RankByTicks(const MadeRank& rank, const RankFile& file, const Window& window, AllSums& all)
        : rank_{rank}, all_{all} {
        Ticks end = 0;
        for (const MadeLane& lane : rank.lanes) end = std::max(end, lane.records.back().record.leave);
        for (Ticks tick = made_start; tick <= end; ++tick) {
            const GlobalTime time = file.clock().at(tick);
            inside_.push_back((!window.from || time >= *window.from) && (!window.to || time < *window.to));
        }
    }

    void add() {
        RankSums& sums = all_.ranks.emplace_back();
        Ticks first = ~Ticks{0};
        Ticks last = 0;
        for (const MadeLane& lane : rank_.lanes) {
            Ticks begun = ~Ticks{0};
            for (const MadeRecord& made : lane.records) {
                const Record& record = made.record;
                begun = std::min(begun, record.enter);
                if (record.what.kind == Kind::sync && record.what.type != 0) sums.measuring += count(mark(record));
                if (record.what.kind != Kind::call) continue;
                first = std::min(first, record.enter);
                last = std::max(last, record.leave);
                sums.mpi += add_call(lane, record);
            }
            if (touches(begun, lane.records.back().record.leave)) ++sums.lanes;
            add_regions(lane);
            add_notes(lane);
        }
        sums.wall = count({first, std::vector<bool>(last - first, true)});
    }

  private:
    struct Marks { // the ticks of an interval
        Ticks begin;
        std::vector<bool> ticks;
    };

    bool ends(const Record& record) const { return inside_[record.leave - made_start]; }
    bool touches(Ticks enter, Ticks leave) const {
        const auto begin = inside_.begin() + static_cast<std::ptrdiff_t>(enter - made_start);
        const auto end = inside_.begin() + static_cast<std::ptrdiff_t>(leave - made_start);
        return inside_[leave - made_start] || std::find(begin, end, true) != end;
    }
    static void set(Marks& marks, const Record& record, bool value) {
        for (Ticks tick = record.enter; tick < record.leave; ++tick) marks.ticks[tick - marks.begin] = value;
    }
    static Marks mark(const Record& record) {
        return {record.enter, std::vector<bool>(record.leave - record.enter, true)};
    }
    std::int64_t count(const Marks& marks) const {
        std::int64_t both = 0;
        for (std::size_t i = 0; i < marks.ticks.size(); ++i)
            both += marks.ticks[i] && inside_[marks.begin - made_start + i] ? 1 : 0;
        return both;
    }
    // For unsuccessful tests in a row: interpolated linearly from enter to leave.
    std::int64_t part_of_misses(const Record& record) const {
        std::int64_t before = 0;
        std::int64_t within = 0;
        for (Ticks tick = record.enter; tick < record.leave; ++tick) {
            within += inside_[tick - made_start] ? 1 : 0;
            before += within == 0 ? 1 : 0;
        }
        const auto length = static_cast<std::int64_t>(record.leave - record.enter);
        const auto time = static_cast<std::int64_t>(record.what.bytes);
        return within == 0 ? 0 : time * (before + within) / length - time * before / length;
    }
    static bool lies_in(const Record& inner, const Record& outer) {
        return &inner != &outer && inner.enter >= outer.enter && inner.leave <= outer.leave;
    }

    std::int64_t add_call(const MadeLane& lane, const Record& record) {
        const Signature& what = record.what;
        const bool misses = what.has(flag::repeated);
        Marks own = mark(record);
        for (const MadeRecord& other : lane.records)
            if (other.record.what.has(flag::nested) && lies_in(other.record, record)) set(own, other.record, false);
        if (!touches(record.enter, record.leave)) return 0;
        CallSums& sums = all_.calls[{what.function, what.place}];
        const std::int64_t time = misses ? part_of_misses(record) : count(own);
        sums.time += time;
        if (!ends(record)) return time;
        const auto whole = static_cast<std::int64_t>(
            misses ? what.bytes : static_cast<std::uint64_t>(std::count(own.ticks.begin(), own.ticks.end(), true)));
        const std::uint64_t calls = misses ? record.request : 1;
        const std::int64_t each = whole / static_cast<std::int64_t>(calls);
        sums.shortest = sums.calls == 0 ? each : std::min(sums.shortest, each);
        sums.longest = std::max(sums.longest, each);
        sums.sum += whole;
        sums.calls += calls;
        if (what.has(flag::failed)) {
            sums.failed += calls;
            return time;
        }
        const auto me = static_cast<std::uint32_t>(rank_.header.rank);
        if (what.function == Function::Send) {
            ChannelSums& channel = all_.messages[{me, static_cast<std::uint32_t>(what.peer)}];
            ++channel.messages;
            channel.bytes += what.bytes;
        }
        if (what.function == Function::Send || what.function == Function::Allreduce) sums.sent += what.bytes;
        if (what.function == Function::Recv || what.function == Function::Allreduce) sums.received += what.bytes;
        return time;
    }

    void add_regions(const MadeLane& lane) {
        std::map<std::string, Marks> inside; // by name of the region
        for (const MadeRecord& made : lane.records) {
            const Record& record = made.record;
            if (record.what.kind != Kind::region || !touches(record.enter, record.leave)) continue;
            const Symbol& symbol = rank_.definitions.symbols[record.what.type - 1];
            RegionSums& sums = all_.regions[symbol.name];
            if (ends(record)) {
                const auto length = static_cast<std::int64_t>(record.leave - record.enter);
                ++sums.count;
                sums.sum += length;
                sums.longest = std::max(sums.longest, length);
            }
            if (symbol.scope) {
                sums.time += count(mark(record));
                sums.own += count(mark(record));
                continue;
            }
            Marks& marks =
                inside.emplace(symbol.name, Marks{made_start, std::vector<bool>(inside_.size())}).first->second;
            set(marks, record, true);
            sums.own += own_time(lane, record);
        }
        for (auto& [name, marks] : inside) {
            RegionSums& sums = all_.regions[name];
            sums.time += count(marks);
            for (const MadeRecord& made : lane.records) {
                const Record& record = made.record;
                if (record.what.kind != Kind::call || record.what.has(flag::nested)) continue;
                bool all_of_it = true;
                for (Ticks tick = record.enter; tick < record.leave; ++tick)
                    all_of_it = all_of_it && marks.ticks[tick - made_start];
                if (all_of_it)
                    sums.mpi += record.what.has(flag::repeated) ? part_of_misses(record) : count(mark(record));
            }
        }
    }
    bool is_region(const Record& record) const {
        return record.what.kind == Kind::region && !rank_.definitions.symbols[record.what.type - 1].scope;
    }
    std::int64_t own_time(const MadeLane& lane, const Record& region) {
        Marks own = mark(region);
        std::int64_t tests = 0;
        for (const MadeRecord& made : lane.records) {
            const Record& record = made.record;
            if (!lies_in(record, region)) continue;
            const bool call = record.what.kind == Kind::call && !record.what.has(flag::nested);
            if (is_region(record) || (call && !record.what.has(flag::repeated))) set(own, record, false);
            if (!call || !record.what.has(flag::repeated)) continue;
            const bool deeper = std::any_of(lane.records.begin(), lane.records.end(), [&](const MadeRecord& other) {
                return is_region(other.record) && lies_in(record, other.record) && lies_in(other.record, region);
            });
            if (!deeper) tests += part_of_misses(record);
        }
        return count(own) - tests;
    }
    void add_notes(const MadeLane& lane) {
        for (const MadeRecord& made : lane.records) {
            if (!ends(made.record)) continue;
            const Signature& what = made.record.what;
            if (what.kind == Kind::comment) ++all_.comments;
            if (what.kind != Kind::counter) continue;
            const auto value = static_cast<double>(what.bytes);
            all_.counter.max = all_.counter.values == 0 ? value : std::max(all_.counter.max, value);
            ++all_.counter.values;
            all_.counter.sum += value;
        }
    }

    const MadeRank& rank_;
    AllSums& all_;
    std::vector<bool> inside_; // whether a tick is in the window
};

} // namespace

AllSums sums_of(const Profile& profile) {
    AllSums all;
    for (const PlaceProfile& place : profile.places) {
        const CallStats& stats = place.stats;
        all.calls[{place.function, place.place.offset}] = {stats.calls,
                                                           stats.failed,
                                                           ticks(stats.time_s),
                                                           ticks(stats.sum_s),
                                                           stats.calls == 0 ? 0 : ticks(stats.min_s),
                                                           ticks(stats.max_s),
                                                           stats.sent_bytes,
                                                           stats.received_bytes};
    }
    for (const RegionProfile& region : profile.regions)
        all.regions[region.name] = {region.count,        ticks(region.time_s), ticks(region.own_s),
                                    ticks(region.mpi_s), ticks(region.sum_s),  ticks(region.max_s)};
    for (const Traffic& traffic : profile.messages)
        all.messages[{traffic.from, traffic.to}] = {traffic.messages, traffic.bytes};
    for (const RankProfile& rank : profile.ranks)
        all.ranks.push_back({rank.lanes, ticks(rank.wall_s), ticks(rank.measuring_s), ticks(rank.mpi.time_s)});
    for (const CounterProfile& counter : profile.counters) all.counter = {counter.values, counter.sum, counter.max};
    all.comments = profile.comments;
    return all;
}

AllSums sums_by_looking(const std::vector<MadeRank>& made, const Trace& trace, const Window& window) {
    AllSums all;
    for (std::size_t i = 0; i < made.size(); ++i) RankByTicks{made[i], trace.ranks[i], window, all}.add();
    return all;
}

} // namespace tactus
