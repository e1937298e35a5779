#include "clocksync/trace_clocks.hpp"

#include <algorithm>
#include <numeric>

namespace tactus {
namespace {

bool has_measured(const Trace& trace) {
    return std::any_of(trace.ranks.begin(), trace.ranks.end(),
                       [](const RankFile& file) { return !file.definitions().clock_places.empty(); });
}

// Gives the index of a rank in the trace, which may lack some ranks; nothing when it lacks this rank.
std::optional<std::size_t> index_of(const Trace& trace, std::uint32_t rank) {
    const auto found = std::lower_bound(trace.ranks.begin(), trace.ranks.end(), rank,
                                        [](const RankFile& file, std::uint32_t r) { return file.header().rank < r; });
    if (found == trace.ranks.end() || found->header().rank != rank) return {};
    return static_cast<std::size_t>(found - trace.ranks.begin());
}

} // namespace

ClockFacts clock_facts(const RankFile& file) {
    const Definitions& known = file.definitions();
    ClockFacts facts{.place = {},
                     .timer = file.header().timer,
                     .timer_resolution = file.header().timer_resolution,
                     .anchors = known.anchors,
                     .rounds = known.sync_rounds};
    if (!known.clock_places.empty()) facts.place = known.clock_places.back();
    // A rank without a place was never measured, unless it is the first.
    if (known.clock_places.empty() && file.header().rank != 0) facts.place.relation = ClockRelation::measured;
    return facts;
}

std::vector<FittedClock> fit_clocks(const Trace& trace, Fit fit) {
    std::vector<FittedClock> clocks(trace.ranks.size());
    std::vector<bool> done(trace.ranks.size(), false);
    std::vector<std::size_t> order(trace.ranks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<ClockFacts> facts;
    for (const RankFile& file : trace.ranks) facts.push_back(clock_facts(file));
    // Masters go first. Ranks that share their leader's clock follow it, since it may be on the same level.
    const auto depth = [&](std::size_t i) {
        return std::pair{facts[i].place.level, facts[i].place.relation == ClockRelation::shared};
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depth(a) < depth(b); });
    for (const std::size_t i : order) {
        const TimeMap date = trace.ranks[i].clock_by_date(trace.origin_realtime_ns());
        const ClockPlace& place = facts[i].place;
        const auto master = index_of(trace, place.master);
        if (fit == Fit::raw)
            clocks[i].map = date;
        else if (place.relation == ClockRelation::reference)
            clocks[i].map = map_of_reference(facts[i]);
        else if (master && done[*master])
            clocks[i] = fit_clock(fit, facts[i], clocks[*master].map, date);
        else {
            clocks[i].map = date;
            clocks[i].map.notes.push_back({ClockTrouble::no_master, facts[i].anchors.front().tick, 0, 1});
        }
        clocks[i].map.fit = fit;
        done[i] = true;
    }
    return clocks;
}

void put_on_one_clock(Trace& trace, std::optional<Fit> wanted) {
    const bool stored = std::all_of(trace.ranks.begin(), trace.ranks.end(),
                                    [](const RankFile& file) { return file.stored_clock() != nullptr; });
    if (!wanted && (stored || !has_measured(trace))) return;
    std::vector<FittedClock> clocks = fit_clocks(trace, wanted.value_or(Fit::interval));
    for (std::size_t i = 0; i < clocks.size(); ++i)
        trace.ranks[i].set_clock({.fitted = std::move(clocks[i].map), .refined = {}, .corrected = {}});
    trace.settle_zero();
}

} // namespace tactus
