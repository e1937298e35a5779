#include "postproc/nccl/clocks.hpp"

#include "postproc/refine/pairwise_offsets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tactus {
namespace {

enum class Way : std::uint8_t { none, from_root, to_root, all };

Way way_of(std::string_view function) {
    for (const char* name : {"AllReduce", "AllGather", "AllGatherV", "ReduceScatter", "AlltoAll"})
        if (function == name) return Way::all;
    if (function == "Broadcast" || function == "Scatter") return Way::from_root;
    if (function == "Reduce" || function == "Gather") return Way::to_root;
    return Way::none;
}

// Whether begin and end are exact: no channel or stamp is missing, and no time is that of a callback.
bool is_exact(const NcclPart& part) {
    return part.tag.span == NcclSpan::full &&
           (part.tag.flags & (NcclTag::overrun | NcclTag::host_times | NcclTag::cut)) == 0;
}

// The last begin and the first end among the members of an operation that share a clock.
struct Reach {
    std::uint32_t clock = 0;
    bool gives = false;
    bool takes = false;
    GlobalTime begin = 0;
    GlobalTime end = 0;
};

class Comparing {
  public:
    Comparing(const Trace& trace, const NcclParts& parts, const NcclMatches& matches)
        : trace_{trace}, parts_{parts}, matches_{matches} {
        for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
            index_[trace.ranks[i].header().rank] = i;
            clocks_.push_back({.fitted = trace.ranks[i].clock().fitted, .refined = {}, .corrected = {}});
        }
    }

    std::vector<NcclClock> run() {
        share_hosts();
        part_contradicting();
        find_windows();
        for (unsigned pass = 0; pass < passes; ++pass)
            if (step() < enough) break;
        std::vector<NcclClock> result;
        for (std::size_t i = 0; i < clocks_.size(); ++i) result.push_back(clock_of(i));
        return result;
    }

  private:
    static constexpr unsigned passes = 4;
    static constexpr GlobalTime enough = static_cast<GlobalTime>(2 * time_units_per_ns);
    static constexpr std::uint32_t points_a_window = 8;
    static constexpr std::size_t most_compared = 64; // clocks of an operation that are compared each with each

    void share_hosts() {
        using Host = std::tuple<std::string, std::string, Timer>;
        std::map<Host, std::size_t> first;
        for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
            const Header& header = trace_.ranks[i].header();
            const bool known = !header.boot_id.empty();
            leaders_.push_back(known ? first.try_emplace({header.host, header.boot_id, header.timer}, i).first->second
                                     : i);
        }
    }

    // A rank gets its own clock if the clock of its host cannot be right: by that clock, an operation that it did
    // together with the host's first rank did not overlap on the two ranks.
    void part_contradicting() {
        std::set<std::size_t> own;
        for (const NcclMatch& match : matches_.matches) {
            if (way_of(parts_.functions[match.function]) != Way::all) continue;
            std::map<std::size_t, std::pair<GlobalTime, GlobalTime>> of_leaders;
            for (const NcclPart* part : matches_.parts_of(match))
                if (const std::size_t rank = index_.at(part->rank); is_exact(*part) && leaders_[rank] == rank)
                    of_leaders.emplace(rank, widened(*part));
            for (const NcclPart* part : matches_.parts_of(match)) {
                const std::size_t rank = index_.at(part->rank);
                const auto leader = of_leaders.find(leaders_[rank]);
                if (leader == of_leaders.end() || !is_exact(*part)) continue;
                const auto [begin, end] = widened(*part);
                if (begin > leader->second.second || end < leader->second.first) own.insert(rank);
            }
        }
        for (const std::size_t rank : own) leaders_[rank] = rank;
    }

    [[nodiscard]] std::pair<GlobalTime, GlobalTime> widened(const NcclPart& part) const {
        const ProcessClock& clock = clocks_[leaders_[index_.at(part.rank)]];
        return {add_ns(within_reach(clock.at(part.enter)), -part.gpu_within_ns),
                add_ns(within_reach(clock.at(part.leave)), part.gpu_within_ns)};
    }

    // The windows reach from the first anchor or operation to the last.
    void find_windows() {
        constexpr GlobalTime farthest = GlobalTime{1} << 58; // a year; damaged files may have any times
        GlobalTime begin = farthest;
        GlobalTime end = -farthest;
        const auto reach = [&](GlobalTime time) {
            if (time < -farthest || time > farthest) return;
            begin = std::min(begin, time);
            end = std::max(end, time);
        };
        for (std::size_t i = 0; i < clocks_.size(); ++i)
            for (const Anchor& anchor : trace_.ranks[i].definitions().anchors)
                reach(clocks_[leaders_[i]].fitted.at(anchor.tick));
        for (const NcclPart* part : matches_.parts) {
            const auto [from, to] = widened(*part);
            reach(from);
            reach(to);
        }
        if (begin <= end) windows_ = windows_between(begin, end);
    }

    // Returns the largest change of a clock.
    GlobalTime step() {
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Quickest> best;
        for (const NcclMatch& match : matches_.matches) add(match, best);
        find_bounded(best);
        std::vector<Quickest> messages;
        for (const auto& [key, message] : best) messages.push_back(message);
        GlobalTime most = 0;
        leads_ = pairwise_offsets(std::move(messages), {}, windows_, leads_);
        for (const ClockOffset& lead : leads_) most = std::max(most, set(lead, clocks_[lead.clock]));
        return most;
    }

    void add(const NcclMatch& match,
             std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Quickest>& best) const {
        const std::vector<Reach> reached = reach_of(match);
        for (std::size_t a = 0; a < reached.size(); ++a)
            for (std::size_t b = 0; b < reached.size(); ++b) {
                if (a == b || !reached[a].gives || !reached[b].takes) continue;
                if (a != 0 && b != 0 && reached.size() > most_compared) continue;
                const GlobalTime at = reached[b].end;
                const Quickest quickest{.from = reached[a].clock,
                                        .to = reached[b].clock,
                                        .window = windows_.of(at),
                                        .took = at - reached[a].begin,
                                        .at = at};
                Quickest& known =
                    best.try_emplace({quickest.from, quickest.to, quickest.window}, quickest).first->second;
                if (quickest.took < known.took) known = quickest;
            }
    }

    [[nodiscard]] std::vector<Reach> reach_of(const NcclMatch& match) const {
        std::vector<Reach> reached; // by clock
        const Way way = way_of(parts_.functions[match.function]);
        if (way == Way::none) return reached;
        std::map<std::uint32_t, Reach> by_clock;
        for (const NcclPart* part : matches_.parts_of(match)) {
            if (!is_exact(*part)) continue;
            const bool root = part->peer == static_cast<std::int32_t>(part->member);
            const auto clock = static_cast<std::uint32_t>(leaders_[index_.at(part->rank)]);
            Reach& reach = by_clock[clock];
            reach.clock = clock;
            const auto [begin, end] = widened(*part);
            if (way == Way::all || root == (way == Way::from_root)) {
                reach.begin = reach.gives ? std::max(reach.begin, begin) : begin;
                reach.gives = true;
            }
            if (way == Way::all || root == (way == Way::to_root)) {
                reach.end = reach.takes ? std::min(reach.end, end) : end;
                reach.takes = true;
            }
        }
        for (const auto& [clock, reach] : by_clock) reached.push_back(reach);
        return reached;
    }

    // Finds the clocks that are connected with the first rank's clock by bounds in both directions.
    void find_bounded(const std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Quickest>& best) {
        bounded_ = {0};
        std::vector<std::size_t> reached{0};
        std::map<std::size_t, std::set<std::size_t>> neighbors;
        for (const auto& [key, message] : best)
            if (best.contains({message.to, message.from, message.window})) neighbors[message.from].insert(message.to);
        while (!reached.empty()) {
            const std::size_t clock = reached.back();
            reached.pop_back();
            for (const std::size_t other : neighbors[clock])
                if (bounded_.insert(other).second) reached.push_back(other);
        }
    }

    // Puts the offsets into the clock's map, and returns the largest change. They have the same times in every step.
    static GlobalTime set(const ClockOffset& lead, ProcessClock& clock) {
        ShiftMap& map = clock.refined;
        GlobalTime most = 0;
        std::size_t next = 0;
        for (const ClockOffset::Point& point : lead.points) {
            const Ticks tick = clock.fitted.tick_at(point.time);
            if (next > 0 && tick <= map.knots[next - 1].tick) continue;
            if (next == map.knots.size()) {
                map.knots.push_back({tick, 0});
                map.half_widths.push_back(0);
            }
            const GlobalTime shift = -time_of_ns(point.ns);
            map.half_widths[next] = point.within_ns;
            most = std::max(most, std::abs(shift - std::exchange(map.knots[next++].shift, shift)));
        }
        return most;
    }

    // No clock can become faster or slower by more than half.
    static bool goes_on(const TimeMap& fitted, const ShiftMap& shift) {
        for (std::size_t i = 1; i < shift.knots.size(); ++i) {
            const GlobalTime time = fitted.at(shift.knots[i].tick) - fitted.at(shift.knots[i - 1].tick);
            if (std::abs(shift.knots[i].shift - shift.knots[i - 1].shift) > time / 2) return false;
        }
        return true;
    }

    [[nodiscard]] NcclClock clock_of(std::size_t i) const {
        const ProcessClock& leader = clocks_[leaders_[i]];
        NcclClock result{
            .leader = trace_.ranks[leaders_[i]].header().rank, .bounded = bounded_.contains(leaders_[i]), .shift = {}};
        if (!result.bounded) return result;
        ShiftMap& map = result.shift;
        for (std::uint32_t k = 0; k <= windows_.count * points_a_window; ++k) {
            const Ticks tick = leader.fitted.tick_at(windows_.begin + windows_.length / points_a_window * k);
            if (!map.knots.empty() && tick <= map.knots.back().tick) continue;
            map.knots.push_back({tick, within_reach(leader.at(tick)) - within_reach(clocks_[i].fitted.at(tick))});
            map.half_widths.push_back(leader.refined.half_widths.empty() ? 0 : leader.half_width_ns(tick));
            result.worst_ns = std::max(result.worst_ns, map.half_widths.back());
        }
        if (goes_on(clocks_[i].fitted, map)) return result;
        return {.leader = result.leader, .bounded = false, .shift = {}};
    }

    const Trace& trace_;
    const NcclParts& parts_;
    const NcclMatches& matches_;
    std::map<std::uint32_t, std::size_t> index_; // by rank
    std::vector<ProcessClock> clocks_;           // by index of the rank, as is the next
    std::vector<std::size_t> leaders_;
    Windows windows_;
    std::vector<ClockOffset> leads_; // of the last step
    std::set<std::size_t> bounded_{0};
};

} // namespace

bool lacks_other_clocks(const Trace& trace) {
    return trace.ranks.size() > 1 && has_nccl(trace) &&
           std::all_of(trace.ranks.begin(), trace.ranks.end(), [](const RankFile& file) {
               return file.header().mpi.empty() && file.definitions().clock_places.empty() &&
                      file.definitions().sync_rounds.empty();
           });
}

std::vector<NcclClock> nccl_clocks(const Trace& trace, const NcclParts& parts, const NcclMatches& matches) {
    return Comparing{trace, parts, matches}.run();
}

} // namespace tactus
