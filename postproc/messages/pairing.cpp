#include "postproc/messages/pairing.hpp"

#include "postproc/messages/rank_messages.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

namespace tactus {
namespace {

struct Route {
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
    std::uint64_t comm = 0; // its identity
    auto operator<=>(const Route&) const = default;
};

// A message's place in its channel, on one side.
struct Place {
    Ticks tick = 0;
    std::uint32_t lane = 0;
    bool certain = true;      // false: calls of other threads may have come before it
    std::uint64_t number = 0; // that its sender gave it; 0: not known
};

// What a rank sent into a channel, or received from it: consecutive places.
struct Run {
    Route route;
    std::int32_t tag = 0;
    Direction direction{};
    std::size_t first = 0;
    std::size_t count = 0;
    [[nodiscard]] auto channel() const { return std::tie(route, tag); }
};

bool same_channel(const Half& a, const Half& b) { return a.comm == b.comm && a.peer == b.peer && a.tag == b.tag; }

bool is_before(const Half& a, const Half& b) {
    return std::tie(a.comm, a.peer, a.tag, a.enter) < std::tie(b.comm, b.peer, b.tag, b.enter);
}

std::optional<Route> route_of(const RankFile& file, std::uint32_t comm_number, std::int32_t peer, Direction direction) {
    const Comm* comm = file.comm(comm_number);
    const std::int64_t world = comm != nullptr ? comm->world_rank(peer) : -1;
    if (world < 0 || world > std::int64_t{UINT32_MAX}) return {};
    const auto other = static_cast<std::uint32_t>(world);
    const std::uint32_t rank = file.header().rank;
    return direction == Direction::sent ? Route{rank, other, comm->identity} : Route{other, rank, comm->identity};
}

class Channels {
  public:
    void add(const RankFile& file) {
        RankMessages rank = messages_of(file);
        if (rank.complete) pairing_.complete.insert(file.header().rank);
        for (const Error& error : rank.unreadable) keep_error(pairing_.unreadable, error);
        for (const NotRecorded& one : rank.not_recorded)
            if (const Comm* comm = file.comm(one.comm); one.direction == Direction::collective && comm != nullptr)
                pairing_.collectives_missing.insert(comm->identity);
            else if (const auto route = route_of(file, one.comm, one.peer, one.direction))
                (one.direction == Direction::sent ? sends_missing_ : receives_missing_).insert(*route);
        add(file, rank.sent, Direction::sent);
        add(file, rank.received, Direction::received);
    }

    Pairing pair(const TakeMessage& take) {
        std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
            return std::tie(a.route, a.tag, a.direction) < std::tie(b.route, b.tag, b.direction);
        });
        for (auto first = runs_.begin(); first != runs_.end();) {
            const auto end =
                std::find_if(first, runs_.end(), [&](const Run& run) { return run.channel() != first->channel(); });
            pair({first, end}, take);
            first = end;
        }
        return std::move(pairing_);
    }

  private:
    void add(const RankFile& file, std::vector<Half>& halves, Direction direction) {
        // Stable, for several starts of one MPI_Startall.
        std::stable_sort(halves.begin(), halves.end(), is_before);
        for (auto first = halves.begin(); first != halves.end();) {
            const auto end =
                std::find_if(first, halves.end(), [&](const Half& half) { return !same_channel(half, *first); });
            add_run(file, {first, end}, direction);
            first = end;
        }
    }

    void add_run(const RankFile& file, std::span<const Half> halves, Direction direction) {
        const auto route = route_of(file, halves.front().comm, halves.front().peer, direction);
        if (!route) {
            pairing_.because(Unpaired::outside) += halves.size();
            return;
        }
        std::vector<Place>& places = direction == Direction::sent ? sent_ : received_;
        runs_.push_back({*route, halves.front().tag, direction, places.size(), halves.size()});
        add_places(halves, places);
        if (direction == Direction::received)
            for (const Half& half : halves) received_bytes_.push_back(half.bytes);
    }

    // Calls that overlap, directly or through others, are a group. In one thread that is a call and those nested in it,
    // in several threads nobody knows which of the group came first; what is outside of it keeps its number.
    static void add_places(std::span<const Half> halves, std::vector<Place>& places) {
        while (!halves.empty()) {
            std::size_t size = 1;
            bool one_lane = true;
            for (Ticks end = halves[0].leave; size < halves.size() && halves[size].enter <= end; ++size) {
                one_lane = one_lane && halves[size].order_lane == halves[0].order_lane;
                end = std::max(end, halves[size].leave);
            }
            for (const Half& half : halves.first(size)) places.push_back({half.tick, half.lane, one_lane, half.number});
            halves = halves.subspan(size);
        }
    }

    // One channel: what was sent, then what was received, either of which may be missing.
    void pair(std::span<const Run> runs, const TakeMessage& take) {
        std::uint64_t sends = 0;
        std::uint64_t receives = 0;
        for (const Run& run : runs) (run.direction == Direction::sent ? sends : receives) += run.count;
        // Two runs of a kind: a damaged file gives one identity to several communicators.
        const bool equal = sends == receives && runs.size() == 2;
        ++pairing_.channels;
        if (runs.size() == 2 && sends > 0 && receives > 0 && all_named(runs[1]))
            return pair_by_number(runs[0], runs[1], take);
        if (const auto reason = why_not(runs.front().route, equal)) {
            pairing_.because(*reason) += std::max(sends, receives);
            ++pairing_.channels_left_out;
            return;
        }
        hand_out(runs[0], runs[1], take);
    }

    [[nodiscard]] bool all_named(const Run& received) const {
        const auto first = received_.begin() + static_cast<std::ptrdiff_t>(received.first);
        return std::all_of(first, first + static_cast<std::ptrdiff_t>(received.count),
                           [](const Place& place) { return place.number != 0; });
    }

    // Whatever is missing, these pairs are.
    void pair_by_number(const Run& sent, const Run& received, const TakeMessage& take) {
        std::unordered_map<std::uint64_t, std::size_t> sends;
        for (std::size_t i = sent.first; i < sent.first + sent.count; ++i)
            if (sent_[i].number != 0) sends.emplace(sent_[i].number, i);
        std::uint64_t found = 0;
        for (std::size_t i = received.first; i < received.first + received.count; ++i) {
            const auto send = sends.find(received_[i].number);
            if (send == sends.end()) continue;
            ++found;
            hand_out(sent, sent_[send->second], received_[i], received_bytes_[i], take);
            sends.erase(send);
        }
        pairing_.because(Unpaired::unequal) += std::max(sent.count, received.count) - found;
    }

    void hand_out(const Run& run, const Place& from, const Place& to, std::uint64_t bytes, const TakeMessage& take) {
        ++pairing_.pairs;
        take({.sent = {run.route.sender, from.lane, from.tick},
              .received = {run.route.receiver, to.lane, to.tick},
              .bytes = bytes,
              .comm = run.route.comm,
              .tag = run.tag});
    }

    [[nodiscard]] std::optional<Unpaired> why_not(const Route& route, bool equal) const {
        if (!pairing_.complete.contains(route.sender)) return Unpaired::incomplete;
        if (sends_missing_.contains(route)) return Unpaired::not_recorded;
        // Of a sender of which nothing is missing, as many receives as sends are all there were.
        if (equal) return {};
        if (!pairing_.complete.contains(route.receiver)) return Unpaired::incomplete;
        return receives_missing_.contains(route) ? Unpaired::not_recorded : Unpaired::unequal;
    }

    void hand_out(const Run& sent, const Run& received, const TakeMessage& take) {
        for (std::size_t i = 0; i < sent.count; ++i) {
            const Place& from = sent_[sent.first + i];
            const Place& to = received_[received.first + i];
            if (!from.certain || !to.certain) {
                ++pairing_.because(Unpaired::concurrent);
                continue;
            }
            hand_out(sent, from, to, received_bytes_[received.first + i], take);
        }
    }

    std::vector<Run> runs_;
    std::vector<Place> sent_;
    std::vector<Place> received_;
    std::vector<std::uint64_t> received_bytes_;
    std::set<Route> sends_missing_;
    std::set<Route> receives_missing_;
    Pairing pairing_;
};

} // namespace

std::uint64_t Pairing::unpaired_in_all() const {
    return std::accumulate(unpaired.begin(), unpaired.end(), std::uint64_t{0});
}

Pairing for_each_message(const Trace& trace, const TakeMessage& take) {
    Channels channels;
    for (const RankFile& file : trace.ranks) channels.add(file);
    return channels.pair(take);
}

} // namespace tactus
