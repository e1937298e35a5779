#include "postproc/refine/refine.hpp"

#include "postproc/refine/pairwise_offsets.hpp"
#include "postproc/replay/engine.hpp"
#include "postproc/replay/reversed.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tactus {
namespace {

// Facts travel to the process of rank 0, and Lacks travel back.
struct Fact {
    std::uint32_t to = 0;
    Quickest quickest;       // unless is_known
    OffsetUncertainty known; // if is_known
    bool is_known = false;
};
// What a rank's clock lacks at a time.
struct Lack {
    std::uint32_t to = 0;
    GlobalTime time = 0;
    GlobalTime shift = 0;
    double within_ns = 0;
};

// Finds the quickest messages to the ranks of this process while these are played.
class Gathering {
  public:
    static constexpr bool independent = true;
    using Note = GlobalTime;
    static Note stronger(Note a, Note b) { return std::max(a, b); }

    // Times are the events' stamps plus what `refined` adds so far.
    Gathering(const std::vector<RankEvents>& ranks, const std::vector<ProcessClock>& refined,
              const std::vector<std::int64_t>& leaders, const Windows& windows)
        : ranks_{ranks}, leaders_{leaders}, windows_{windows}, found_(ranks.size()), last_(ranks.size()) {
        for (const ProcessClock& clock : refined) giving_.emplace_back(clock.refined);
        taking_ = giving_;
    }

    Note give(std::size_t rank, Event& event) { return time_of(giving_[rank], event); }
    void pass(std::size_t, Event&) {}
    void take(std::size_t rank, Event& event, Note given) {
        if (!is_message(event.role())) return;
        const Channel& channel = ranks_[rank].channels[event.index()];
        if (channel.tag == tag_of_windows) return; // the MPI decides when it tells the target
        const std::int64_t from = leaders_[channel.peer];
        if (from == leaders_[ranks_[rank].rank]) return;
        const GlobalTime at = time_of(taking_[rank], event);
        if (last_[rank].best == nullptr || last_[rank].from != from)
            last_[rank] = {from, &found_[rank].try_emplace(from, windows_.count).first->second};
        Best& here = (*last_[rank].best)[windows_.of(at)];
        if (at - given < here.took) here = {at - given, at};
    }

    void facts(std::vector<Fact>& facts) const {
        for (std::size_t rank = 0; rank < found_.size(); ++rank)
            for (const auto& [from, best] : found_[rank])
                for (std::uint32_t window = 0; window < best.size(); ++window)
                    if (best[window].took != never)
                        facts.push_back({.to = 0,
                                         .quickest = {.from = static_cast<std::uint32_t>(from),
                                                      .to = static_cast<std::uint32_t>(leaders_[ranks_[rank].rank]),
                                                      .window = window,
                                                      .took = best[window].took,
                                                      .at = best[window].at},
                                         .known = {}});
    }

  private:
    static constexpr GlobalTime never = std::numeric_limits<GlobalTime>::max();
    struct Best {
        GlobalTime took = never;
        GlobalTime at = 0;
    };
    struct Last {
        std::int64_t from = 0;
        std::vector<Best>* best = nullptr;
    };

    using Cursor = MapCursor<ShiftMap>;
    static GlobalTime time_of(Cursor& cursor, const Event& event) {
        return within_reach(event.stamp + cursor.at(event.tick));
    }

    const std::vector<RankEvents>& ranks_;
    const std::vector<std::int64_t>& leaders_;
    const Windows& windows_;
    std::vector<Cursor> giving_; // by rank
    std::vector<Cursor> taking_;
    std::vector<std::map<std::int64_t, std::vector<Best>>> found_; // by receiving rank, sending clock, and window
    std::vector<Last> last_;
};

bool was_measured(const TimeMap& map) {
    return map.fit != Fit::raw && std::none_of(map.notes.begin(), map.notes.end(), [](const ClockNote& note) {
               return note.trouble == ClockTrouble::no_round || note.trouble == ClockTrouble::no_master;
           });
}

// How well the fitted clock is known at a time. A round knows the clock at the time of the round; away from it the
// clock may have drifted.
double known_within_ns(const ProcessClock& clock, const ClockPlace& place, GlobalTime time) {
    if (place.relation == ClockRelation::reference) return 0;
    if (!was_measured(clock.fitted)) return std::numeric_limits<double>::infinity();
    double away = std::numeric_limits<double>::infinity();
    for (const ClockKnot& knot : clock.fitted.knots) away = std::min(away, std::abs(ns_from(knot.time, time)));
    return clock.half_width_ns(clock.tick_at(time)) + may_drift * away;
}

Windows windows_of(const std::vector<RankEvents>& ranks, const std::vector<const ProcessClock*>& clocks,
                   ReplayWire& wire) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
    std::vector<std::int64_t> most{none, none}; // the negated first time, and the last time
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].events.empty()) continue;
        most[0] = std::max(most[0], -within_reach(clocks[i]->at(ranks[i].events.front().tick)));
        most[1] = std::max(most[1], within_reach(clocks[i]->at(ranks[i].events.back().tick)));
    }
    wire.find_most(most);
    return most[0] == none ? Windows{} : windows_between(-most[0], most[1]);
}

// The quickest message of each pair of clocks and window, over all ranks that share the clocks.
std::vector<Quickest> quickest_of(const std::vector<Fact>& facts) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Quickest> best;
    for (const Fact& fact : facts) {
        if (fact.is_known) continue;
        const Quickest& quickest = fact.quickest;
        Quickest& known = best.try_emplace({quickest.from, quickest.to, quickest.window}, quickest).first->second;
        if (std::pair{quickest.took, quickest.at} < std::pair{known.took, known.at}) known = quickest;
    }
    std::vector<Quickest> list;
    for (const auto& [key, quickest] : best) list.push_back(quickest);
    return list;
}

std::vector<OffsetUncertainty> known_of(const std::vector<Fact>& facts) {
    std::vector<OffsetUncertainty> known;
    for (const Fact& fact : facts)
        if (fact.is_known) known.push_back(fact.known);
    return known;
}

std::vector<Lack> lacks_of(const std::vector<ClockOffset>& leads, const std::vector<std::int64_t>& leaders) {
    std::multimap<std::int64_t, std::uint32_t> led;
    for (std::uint32_t rank = 0; rank < leaders.size(); ++rank) led.emplace(leaders[rank], rank);
    std::vector<Lack> lacks;
    for (const ClockOffset& lead : leads) {
        const auto [first, last] = led.equal_range(lead.clock);
        for (auto follower = first; follower != last; ++follower)
            for (const ClockOffset::Point& point : lead.points)
                lacks.push_back({follower->second, point.time, -time_of_ns(point.ns), point.within_ns});
    }
    return lacks;
}

class Refining {
  public:
    Refining(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
             const std::vector<const ProcessClock*>& clocks, const std::vector<ClockPlace>& places,
             const std::vector<std::int64_t>& leaders)
        : ranks_{ranks}, matched_{matched}, wire_{wire}, clocks_{clocks}, places_{places}, leaders_{leaders} {
        for (const ProcessClock* clock : clocks) refined_.push_back(*clock);
    }

    std::vector<ShiftMap> run() {
        const bool one_clock = std::all_of(leaders_.begin(), leaders_.end(),
                                           [&](std::int64_t leader) { return leader == leaders_.front(); });
        if (!one_clock) {
            windows_ = windows_of(ranks_, clocks_, wire_);
            for (unsigned pass = 0; pass < passes; ++pass)
                if (step() < enough) break;
        }
        std::vector<ShiftMap> maps;
        for (ProcessClock& clock : refined_) {
            ShiftMap& map = maps.emplace_back(std::move(clock.refined));
            const auto nothing = [](const ShiftKnot& knot) { return knot.shift == 0; };
            if (std::all_of(map.knots.begin(), map.knots.end(), nothing)) map = {};
        }
        return maps;
    }

  private:
    static constexpr unsigned passes = 4;
    static constexpr GlobalTime enough = static_cast<GlobalTime>(2 * time_units_per_ns);

    // Collective. Makes one pass, and returns the largest change of any clock.
    GlobalTime step() {
        Gathering gathering{ranks_, refined_, leaders_, windows_};
        Engine<Gathering>{ranks_, matched_, wire_, gathering}.run();
        std::vector<Fact> facts;
        gathering.facts(facts);
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            if (leaders_[ranks_[i].rank] == std::int64_t{ranks_[i].rank}) add_known(i, facts);
        facts = wire_.exchange(facts);
        std::vector<Lack> lacks;
        if (wire_.plays(0)) {
            leads_ = pairwise_offsets(quickest_of(facts), known_of(facts), windows_, leads_);
            lacks = lacks_of(leads_, leaders_);
        }
        std::vector<std::size_t> next(ranks_.size());
        std::vector<std::int64_t> most{0};
        for (const Lack& lack : wire_.exchange(lacks)) {
            const auto found =
                std::lower_bound(ranks_.begin(), ranks_.end(), lack.to,
                                 [](const RankEvents& rank, std::uint32_t to) { return rank.rank < to; });
            const auto i = static_cast<std::size_t>(found - ranks_.begin());
            if (found != ranks_.end() && found->rank == lack.to) most[0] = std::max(most[0], set(i, next[i], lack));
        }
        wire_.find_most(most);
        return most[0];
    }

    void add_known(std::size_t i, std::vector<Fact>& facts) const {
        const auto add = [&](const OffsetUncertainty& known) {
            facts.push_back({.to = 0, .quickest = {}, .known = known, .is_known = true});
        };
        for (std::uint32_t window = 0; window < windows_.count; ++window) {
            const GlobalTime middle = windows_.middle(window);
            add({ranks_[i].rank, middle, false, known_within_ns(*clocks_[i], places_[i], middle)});
        }
        if (places_[i].relation == ClockRelation::reference || !was_measured(clocks_[i]->fitted)) return;
        for (const ClockKnot& knot : clocks_[i]->fitted.knots)
            add({ranks_[i].rank, knot.time, true, knot.half_width_ns});
    }

    // Puts a lack into the map of a rank, and returns by how much that changes it. Lacks have the same times in every
    // step, so knot `next` is that of this lack.
    GlobalTime set(std::size_t i, std::size_t& next, const Lack& lack) {
        ShiftMap& map = refined_[i].refined;
        const Ticks tick = clocks_[i]->tick_at(lack.time);
        if (next > 0 && tick <= map.knots[next - 1].tick) return 0;
        if (next == map.knots.size()) {
            map.knots.push_back({tick, 0});
            map.half_widths.push_back(0);
        }
        map.half_widths[next] = lack.within_ns;
        return std::abs(lack.shift - std::exchange(map.knots[next++].shift, lack.shift));
    }

    std::vector<RankEvents>& ranks_;
    const MatchedEvents& matched_;
    ReplayWire& wire_;
    const std::vector<const ProcessClock*>& clocks_;
    const std::vector<ClockPlace>& places_;
    const std::vector<std::int64_t>& leaders_;
    Windows windows_;
    std::vector<ProcessClock> refined_;
    std::vector<ClockOffset> leads_; // of the last step, in the process of rank 0
};

} // namespace

std::vector<std::int64_t> clock_leaders(const std::vector<RankEvents>& ranks, const std::vector<ClockPlace>& places,
                                        ReplayWire& wire, std::uint32_t all_ranks) {
    std::vector<std::int64_t> leaders(all_ranks, 0);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const bool shared = places[i].relation == ClockRelation::shared && places[i].master < all_ranks;
        leaders[ranks[i].rank] = shared ? places[i].master : ranks[i].rank;
    }
    wire.find_most(leaders);
    return leaders;
}

std::vector<ShiftMap> refine(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                             const std::vector<const ProcessClock*>& clocks, const std::vector<ClockPlace>& places,
                             const std::vector<std::int64_t>& leaders) {
    return Refining{ranks, matched, wire, clocks, places, leaders}.run();
}

} // namespace tactus
