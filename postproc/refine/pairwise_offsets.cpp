#include "postproc/refine/pairwise_offsets.hpp"

#include "postproc/refine/curve_weights.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace tactus {
namespace {

constexpr GlobalTime second = static_cast<GlobalTime>(1e9 * time_units_per_ns);
constexpr std::uint32_t most_windows = 256;
constexpr double widest = 1.5; // widest window that is kept, as a multiple of the median of a pair's windows

// What messages say of the offset between two clocks. The first clock has the lower number.
struct Pair {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    struct Window {
        std::uint32_t number = 0;
        GlobalTime time = 0;
        double ahead_ns = 0;     // how far the second clock is ahead
        double width_ns = 0;     // of the bounds; negative if the clocks drifted by more than the messages' latency
        GlobalTime half_gap = 0; // half of the time between the two messages
    };
    std::vector<Window> windows;
    double median_ns = 0; // of the windows' widths
    double quality = 0;   // less is better
    // Half of the width, but no window is taken to be better than the median.
    [[nodiscard]] double within_ns(const Window& window) const {
        return std::max(std::abs(window.width_ns), median_ns) / 2;
    }
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Combines the two directions of each pair and window. Leaves out windows in which a direction has no message.
std::vector<Pair> pairs_of(std::vector<Quickest>& messages) {
    const auto key = [](const Quickest& quickest) {
        return std::tuple{std::min(quickest.from, quickest.to),
                          std::max(quickest.from, quickest.to),
                          quickest.window,
                          quickest.from,
                          quickest.took,
                          quickest.at};
    };
    std::sort(messages.begin(), messages.end(), [&](const Quickest& a, const Quickest& b) { return key(a) < key(b); });
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < messages.size();) {
        const Quickest& there = messages[i];
        const Quickest* back = nullptr;
        const auto same = [&](const Quickest& other) {
            return std::get<0>(key(other)) == std::get<0>(key(there)) &&
                   std::get<1>(key(other)) == std::get<1>(key(there)) && other.window == there.window;
        };
        std::size_t next = i;
        for (; next < messages.size() && same(messages[next]); ++next)
            if (back == nullptr && messages[next].from != there.from) back = &messages[next];
        i = next;
        if (back == nullptr || there.from > there.to) continue;
        if (pairs.empty() || pairs.back().first != there.from || pairs.back().second != there.to)
            pairs.push_back({.first = there.from, .second = there.to, .windows = {}});
        const double u = to_ns(there.took);
        const double d = to_ns(back->took);
        pairs.back().windows.push_back({.number = there.window,
                                        .time = there.at / 2 + back->at / 2,
                                        .ahead_ns = (u - d) / 2,
                                        .width_ns = u + d,
                                        .half_gap = std::abs(back->at / 2 - there.at / 2)});
    }
    return pairs;
}

// Drops wide windows: late receivers make a window wide, and its middle wrong.
void drop_wide(Pair& pair, std::uint32_t windows) {
    std::vector<double> widths;
    for (const Pair::Window& window : pair.windows) widths.push_back(std::abs(window.width_ns));
    pair.median_ns = median(widths);
    const double limit = widest * pair.median_ns;
    std::erase_if(pair.windows, [&](const Pair::Window& window) { return window.width_ns > limit; });
    // A pair that has windows in half of the run counts as twice as wide.
    pair.quality = limit * static_cast<double>(windows) / static_cast<double>(pair.windows.size());
}

// Returns a value of points, of which there is at least one, at a time: on straight lines between the points, and that
// of the nearest point outside of them.
template <typename Point> double straight(const std::vector<Point>& points, double Point::*value, GlobalTime time) {
    const auto after = std::upper_bound(points.begin(), points.end(), time,
                                        [](GlobalTime t, const Point& point) { return t < point.time; });
    if (after == points.begin()) return points.front().*value;
    const Point& before = *std::prev(after);
    if (after == points.end() || before.*value == (*after).*value) return before.*value; // also if both are infinite
    const double share = ns_from(before.time, time) / ns_from(before.time, after->time);
    return before.*value + share * ((*after).*value - before.*value);
}

// What rounds say of the clocks.
class Rounds {
  public:
    struct Round {
        GlobalTime time = 0;
        double within_ns = 0;
    };
    explicit Rounds(const std::vector<OffsetUncertainty>& known) {
        for (const OffsetUncertainty& uncertainty : known)
            (uncertainty.measured ? measured_ : windows_)[uncertainty.clock].push_back(
                {uncertainty.at, uncertainty.ns});
        for (auto* list : {&measured_, &windows_})
            for (auto& [clock, rounds] : *list)
                std::sort(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) { return a.time < b.time; });
    }
    // How well the rounds know the clock: between the middles of windows, for which that is told, on a straight line.
    [[nodiscard]] double within_ns(std::uint32_t clock, GlobalTime time) const {
        const auto known = windows_.find(clock);
        if (known == windows_.end()) return std::numeric_limits<double>::infinity();
        return straight(known->second, &Round::within_ns, time);
    }

    // The rounds of a clock, ordered by time. There are none for the reference clock, which is right by definition.
    [[nodiscard]] const std::vector<Round>& of(std::uint32_t clock) const {
        static const std::vector<Round> never;
        const auto known = measured_.find(clock);
        return known == measured_.end() ? never : known->second;
    }

  private:
    std::map<std::uint32_t, std::vector<Round>> windows_; // by clock, as is the next
    std::map<std::uint32_t, std::vector<Round>> measured_;
};

// What the pass before gave, with straight lines between its points and constants outside of them, as it is stored.
class SoFar {
  public:
    explicit SoFar(const std::vector<ClockOffset>& offsets) {
        for (const ClockOffset& offset : offsets) offsets_.emplace(offset.clock, &offset);
    }
    [[nodiscard]] double ns(std::uint32_t clock, GlobalTime time) const {
        const auto found = offsets_.find(clock);
        if (found == offsets_.end()) return 0;
        return straight(found->second->points, &ClockOffset::Point::ns, time);
    }

  private:
    std::map<std::uint32_t, const ClockOffset*> offsets_; // by clock
};

// One thing that is known of the offset between two clocks: what the messages of a window say, or a round.
struct Known {
    GlobalTime time = 0;
    double ahead_ns = 0;
    double within_ns = 0;
    GlobalTime half_gap = 0; // half of the time between the two messages
    double turned_ns = 0;    // by how much the offset that the pass before gave grew between them
    double measured_ns = std::numeric_limits<double>::infinity(); // how well rounds know it, where messages say it
};

// The two messages of a window were not sent at one time. Their bounds hold the offset in the middle only if it did not
// grow between them, other than the pass before says. How far that may be wrong follows from how far all points near
// them may be wrong, with the weights that these have at the one time and at the other:
//   within = within_ns + 1/2 sum of |weight late - weight early| x within of the point
// in which the point itself is one of the sum's. The clocks also drift by no more than clocks do.
double within_with_drift(const std::vector<Known>& known, std::size_t i) {
    const Known& here = known[i];
    const double most = here.within_ns + unknown_drift * to_ns(here.half_gap) + std::abs(here.turned_ns) / 2;
    if (known.size() == 1) return most;
    const CurveWeights<Known> early{known, here.time - here.half_gap};
    const CurveWeights<Known> late{known, here.time + here.half_gap};
    double sum = here.within_ns;
    for (std::size_t j = std::min(early.begin(), late.begin()); j < std::max(early.end(), late.end()); ++j)
        if (j != i) sum += std::abs(late[j] - early[j]) / 2 * known[j].within_ns;
    const double own = std::abs(late[i] - early[i]) / 2;
    return own < 1 ? std::min(most, sum / (1 - own)) : most;
}

// What is known of the offset between two clocks, by time. Before the first window and after the last, the rounds at
// the start and the end of the run say more.
std::vector<Known> known_of(const Pair& pair, const Rounds& rounds, const SoFar& so_far) {
    const auto lead = [&](GlobalTime time) { return so_far.ns(pair.second, time) - so_far.ns(pair.first, time); };
    std::vector<Known> known;
    for (const Pair::Window& window : pair.windows) {
        if (!known.empty() && window.time <= known.back().time) continue;
        const double early = lead(window.time - window.half_gap);
        const double late = lead(window.time + window.half_gap);
        const double now = lead(window.time);
        // Where the pass before bent the clock between the two messages, it was perhaps wrong to do so.
        known.push_back(
            {.time = window.time,
             .ahead_ns = window.ahead_ns + now,
             .within_ns = pair.within_ns(window) + std::abs((early + late) / 2 - now),
             .half_gap = window.half_gap,
             .turned_ns = late - early,
             .measured_ns = rounds.within_ns(pair.first, window.time) + rounds.within_ns(pair.second, window.time)});
    }
    const std::vector<Rounds::Round>& of_first = rounds.of(pair.first);
    const std::vector<Rounds::Round>& of_second = rounds.of(pair.second);
    if (of_first.empty() && of_second.empty()) return known;
    const auto end = [&](auto end_of) {
        const Rounds::Round a = of_first.empty() ? Rounds::Round{} : end_of(of_first);
        const Rounds::Round b = of_second.empty() ? Rounds::Round{} : end_of(of_second);
        return Known{.time = of_second.empty() ? a.time : b.time, .within_ns = a.within_ns + b.within_ns};
    };
    const Known front = end([](const auto& list) { return list.front(); });
    const Known back = end([](const auto& list) { return list.back(); });
    if (front.time < known.front().time) known.insert(known.begin(), front);
    if (back.time > known.back().time) known.push_back(back);
    return known;
}

// The offset between two clocks. What messages say and what was measured count by how well they are known, messages
// more: their bounds hold, while a clock between its rounds may bend more than was thought.
ClockOffset lead_of(const Pair& pair, const Rounds& rounds, const SoFar& so_far) {
    ClockOffset lead{.clock = pair.second, .points = {}};
    const std::vector<Known> known = known_of(pair, rounds, so_far);
    for (std::size_t i = 0; i < known.size(); ++i) {
        const double within = within_with_drift(known, i);
        const double odds = known[i].measured_ns / std::max(known[i].within_ns, 1e-3);
        const double share = 1 - std::pow(1 + odds * odds, -4);
        const double not_followed = std::abs(known[i].ahead_ns) * (1 - share);
        lead.points.push_back({known[i].time, known[i].ahead_ns * share, within + not_followed});
    }
    return lead;
}

// The minimum spanning tree by Kruskal's algorithm: takes the best pairs that connect parts not yet connected.
std::vector<const Pair*> best_tree(const std::vector<Pair>& pairs) {
    std::vector<const Pair*> order;
    for (const Pair& pair : pairs) order.push_back(&pair);
    std::stable_sort(order.begin(), order.end(), [](const Pair* a, const Pair* b) { return a->quality < b->quality; });
    std::map<std::uint32_t, std::uint32_t> parent;
    const auto root_of = [&](std::uint32_t clock) {
        while (parent.try_emplace(clock, clock).first->second != clock) clock = parent[clock] = parent[parent[clock]];
        return clock;
    };
    std::vector<const Pair*> tree;
    for (const Pair* pair : order) {
        const std::uint32_t a = root_of(pair->first);
        const std::uint32_t b = root_of(pair->second);
        if (a == b) continue;
        parent[a] = b;
        tree.push_back(pair);
    }
    return tree;
}

} // namespace

std::uint32_t Windows::of(GlobalTime time) const {
    const GlobalTime number = std::max<GlobalTime>(time - begin, 0) / length;
    return static_cast<std::uint32_t>(std::min<GlobalTime>(number, GlobalTime{count} - 1));
}

Windows windows_between(GlobalTime begin, GlobalTime end) {
    const GlobalTime span = std::max<GlobalTime>(end - begin, 1);
    const auto count = static_cast<std::uint32_t>(std::clamp<GlobalTime>(span / second, 1, most_windows));
    return {.begin = begin, .length = span / count + 1, .count = count};
}

namespace {

// The times at which offsets are stored: several in each window, since the stored map is straight between them, and the
// first and last round, since clocks also drift between a round and the first or last message.
std::vector<GlobalTime> times_of(const Windows& windows, const std::vector<OffsetUncertainty>& known) {
    constexpr std::uint32_t points_a_window = 8;
    std::vector<GlobalTime> times;
    for (std::uint32_t i = 0; i <= windows.count * points_a_window; ++i)
        times.push_back(windows.begin + windows.length * i / points_a_window);
    GlobalTime first = times.front();
    GlobalTime last = times.back();
    for (const OffsetUncertainty& uncertainty : known) {
        if (!uncertainty.measured) continue;
        first = std::min(first, uncertainty.at);
        last = std::max(last, uncertainty.at);
    }
    if (first < times.front()) times.insert(times.begin(), first);
    if (last > times.back()) times.push_back(last);
    return times;
}

using Leads = std::map<std::uint32_t, ClockOffset>;                                    // by clock
using Neighbors = std::multimap<std::uint32_t, std::pair<std::uint32_t, const Pair*>>; // by clock, in the tree

// Adds the leads of all clocks that are connected with `root`. A clock's lead is that of its neighbor toward the root,
// plus the offset between the two.
void add_leads(std::uint32_t root, const Neighbors& neighbors, const Rounds& rounds, const SoFar& so_far,
               const std::vector<GlobalTime>& times, Leads& leads) {
    ClockOffset& none = leads[root];
    none.clock = root;
    for (const GlobalTime time : times) none.points.push_back({time, 0, 0});
    std::vector<std::uint32_t> reached{root};
    while (!reached.empty()) {
        const std::uint32_t clock = reached.back();
        reached.pop_back();
        const auto [first, last] = neighbors.equal_range(clock);
        for (auto neighbor = first; neighbor != last; ++neighbor) {
            const auto& [other, pair] = neighbor->second;
            if (leads.contains(other)) continue;
            const ClockOffset between = lead_of(*pair, rounds, so_far);
            const double sign = other == pair->second ? 1 : -1;
            ClockOffset lead{.clock = other, .points = leads[clock].points};
            for (ClockOffset::Point& point : lead.points) {
                point.ns += sign * between.at(point.time);
                point.within_ns += between.within(point.time);
            }
            leads.emplace(other, std::move(lead));
            reached.push_back(other);
        }
    }
}

} // namespace

std::vector<ClockOffset> pairwise_offsets(std::vector<Quickest> messages, const std::vector<OffsetUncertainty>& known,
                                          const Windows& windows, const std::vector<ClockOffset>& so_far) {
    std::vector<Pair> pairs = pairs_of(messages);
    for (Pair& pair : pairs) drop_wide(pair, windows.count);
    const Rounds rounds{known};
    const SoFar moved{so_far};
    const std::vector<const Pair*> tree = best_tree(pairs);
    Neighbors neighbors;
    std::set<std::uint32_t> clocks;
    for (const Pair* pair : tree) {
        neighbors.insert({pair->first, {pair->second, pair}});
        neighbors.insert({pair->second, {pair->first, pair}});
        clocks.insert({pair->first, pair->second});
    }
    const std::vector<GlobalTime> times = times_of(windows, known);
    Leads leads;
    for (const std::uint32_t root : clocks) // ascending, so the root of a connected part is its lowest clock
        if (!leads.contains(root)) add_leads(root, neighbors, rounds, moved, times, leads);
    for (const ClockOffset& offset : so_far) leads.try_emplace(offset.clock, offset);
    std::vector<ClockOffset> result;
    for (auto& [clock, lead] : leads) result.push_back(std::move(lead));
    return result;
}

} // namespace tactus
