#include "cli/where_text.hpp"

#include "cli/dump/dump_words.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "postproc/profile/places.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tactus {
namespace {

constexpr std::size_t most_single_ranks = 16;

// What one thread does, split into parts so that threads that do the same can share a line.
struct WherePlace {
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    bool only_lane = true;
    std::string state{}; // of the process; empty if it is alive
    std::string doing{}; // such as "in MPI_Recv"
    std::string with{};  // such as "from 0 tag 77"; may differ from rank to rank
    std::string where{}; // communicator and call place
    std::optional<double> since_s{};
};

std::string state_text(Liveness state) {
    switch (state) {
    case Liveness::alive:
        return "";
    case Liveness::dead:
        return " (process dead)";
    case Liveness::elsewhere:
        return " (process not on this host)";
    }
    return "";
}

bool names_partner(Shape shape) { return is_send(shape) || shape == Shape::receive || is_probe(shape); }

std::string partner_text(const Comm* comm, const Signature& what) {
    const Shape shape = shape_of(what.function);
    if (names_partner(shape)) {
        const std::string tag = what.tag < 0 ? "any" : std::to_string(what.tag);
        return fmt::format(" {} {} tag {}", is_send(shape) ? "to" : "from", peer_text(comm, what.peer), tag);
    }
    const Pattern pattern = pattern_of(shape);
    if (pattern == Pattern::one_to_all || pattern == Pattern::all_to_one) return " root " + peer_text(comm, what.peer);
    return "";
}

std::string where_text(const RankState& state, const Signature& what, SourceLines& sources) {
    std::string text;
    if (what.comm != 0) text = " comm " + comm_text(state.comm(what.comm), what.comm);
    if (what.place != 0)
        text += " at " + printable(sources.text(place_of(what.place, state.file->definitions().modules)));
    return text;
}

// The innermost open region of VT.h, such as " in region solver:inner".
std::string region_text(const RankState& state, const LaneContents& lane) {
    if (lane.regions.empty()) return {};
    const Symbol* const symbol = state.symbol(lane.regions.front().what.type);
    return symbol != nullptr ? " in region " + printable(symbol->name) : " in a region whose name is not known yet";
}

WherePlace spot_of(const RankState& state, const LaneState& lane_state, SourceLines& sources) {
    const LaneContents& lane = lane_state.lane;
    WherePlace spot{
        .rank = lane.rank, .lane = lane.lane, .only_lane = state.lanes.size() == 1, .state = state_text(state.process)};
    const std::string region = region_text(state, lane);
    const bool inside = !lane.open.empty();
    const Record* const record = inside ? &lane.open.front() : lane.latest();
    spot.since_s = inside ? lane_state.since_enter_s : lane_state.since_leave_s;
    if (record == nullptr || record->what.kind != Kind::call) {
        spot.doing = lane.last_leave == 0 ? "outside MPI, no call since its thread began" : "outside MPI";
        spot.where = region;
        return spot;
    }
    const Signature& what = record->what;
    spot.doing = (inside ? "in " : "outside MPI, last call ") + name_of(what.function);
    spot.with = partner_text(state.comm(what.comm), what);
    spot.where = where_text(state, what, sources) + region;
    return spot;
}

std::string since_text(double shortest, double longest) {
    constexpr double alike = 0.01;
    if (longest - shortest < alike) return fmt::format(" since {}", duration_text(longest));
    return fmt::format(" since {} to {}", duration_text(shortest), duration_text(longest));
}

std::string line_of(const WherePlace& spot) {
    const std::string thread = spot.only_lane ? "" : fmt::format(" thread {}", spot.lane);
    const std::string since = spot.since_s ? since_text(*spot.since_s, *spot.since_s) : "";
    return fmt::format("rank {}{}{}: {}{}{}{}", spot.rank, thread, spot.state, spot.doing, since, spot.with,
                       spot.where);
}

// A group shows its partner only if all of its ranks have the same.
std::string line_of(const std::vector<WherePlace>& group) {
    if (group.size() == 1) return line_of(group.front());
    std::vector<std::uint32_t> ranks;
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    for (const WherePlace& spot : group) {
        ranks.push_back(spot.rank);
        shortest = std::min(shortest, spot.since_s.value_or(shortest));
        longest = std::max(longest, spot.since_s.value_or(0));
    }
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    const std::string since = group.front().since_s ? since_text(shortest, longest) : "";
    const bool same_partner =
        std::all_of(group.begin(), group.end(), [&](const WherePlace& s) { return s.with == group.front().with; });
    return fmt::format("ranks {}{}: {}{}{}{}", rank_list(ranks), group.front().state, group.front().doing, since,
                       same_partner ? group.front().with : "", group.front().where);
}

std::vector<std::string> grouped(const std::vector<WherePlace>& spots) {
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<WherePlace>> groups; // in the order of their first rank
    for (const WherePlace& spot : spots) {
        const std::string key = spot.state + spot.doing + spot.where;
        const auto [entry, fresh] = known.try_emplace(key, groups.size());
        if (fresh) groups.emplace_back();
        groups[entry->second].push_back(spot);
    }
    std::vector<std::string> lines;
    for (const auto& group : groups) lines.push_back(line_of(group));
    return lines;
}

} // namespace

std::string rank_list(const std::vector<std::uint32_t>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += last == i ? std::to_string(ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
        i = last + 1;
    }
    return text;
}

std::string open_call_text(const RankState& state, const LaneState& lane, SourceLines& sources) {
    if (lane.lane.open.empty() || lane.lane.open.front().what.kind != Kind::call) return {};
    const Signature& what = lane.lane.open.front().what;
    return name_of(what.function) + partner_text(state.comm(what.comm), what) + where_text(state, what, sources);
}

std::vector<std::string> where_lines(const std::vector<RankState>& states, SourceLines& sources) {
    std::vector<WherePlace> spots;
    for (const RankState& state : states) {
        const Header& header = state.file->header();
        if (state.file->closed())
            spots.push_back({.rank = header.rank, .doing = "has finished: its file is closed"});
        else if (state.lanes.empty())
            spots.push_back(
                {.rank = header.rank, .state = state_text(state.process), .doing = printable(state.problem)});
        for (const LaneState& lane : state.lanes) spots.push_back(spot_of(state, lane, sources));
    }
    if (states.size() > most_single_ranks) return grouped(spots);
    std::vector<std::string> lines;
    for (const WherePlace& spot : spots) lines.push_back(line_of(spot));
    return lines;
}

} // namespace tactus
