#include "postproc/refine/pairwise_offsets.hpp"

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
        double ahead_ns = 0; // how far the second clock is ahead
        double width_ns = 0; // of the bounds; negative if the clocks drifted by more than the messages' latency
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
        pairs.back().windows.push_back(
            {.number = there.window, .time = there.at / 2 + back->at / 2, .ahead_ns = (u - d) / 2, .width_ns = u + d});
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

class Within {
  public:
    explicit Within(const std::vector<OffsetUncertainty>& known) {
        for (const OffsetUncertainty& uncertainty : known) {
            if (uncertainty.measured)
                measured_[uncertainty.clock].push_back({uncertainty.at, uncertainty.lead_ns, uncertainty.ns});
            else
                ns_[{uncertainty.clock, uncertainty.at}] = uncertainty.ns;
        }
        for (auto& [clock, points] : measured_)
            std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    }
    [[nodiscard]] double of(std::uint32_t clock, GlobalTime middle) const {
        const auto known = ns_.find({clock, middle});
        return known == ns_.end() ? std::numeric_limits<double>::infinity() : known->second;
    }

    // The rounds of a clock, ordered by time. There are none for the reference clock, which is right by definition.
    [[nodiscard]] const std::vector<ClockOffset::Point>& measured(std::uint32_t clock) const {
        static const std::vector<ClockOffset::Point> never;
        const auto known = measured_.find(clock);
        return known == measured_.end() ? never : known->second;
    }

  private:
    std::map<std::pair<std::uint32_t, GlobalTime>, double> ns_;
    std::map<std::uint32_t, std::vector<ClockOffset::Point>> measured_;
};

// The offset between two clocks. What messages say counts by how much better it is known than what was measured.
ClockOffset lead_of(const Pair& pair, const Within& within, const Windows& windows) {
    ClockOffset lead{.clock = pair.second, .points = {}};
    for (const Pair::Window& window : pair.windows) {
        const GlobalTime middle = windows.middle(window.number);
        const double measured = within.of(pair.first, middle) + within.of(pair.second, middle);
        const double odds = measured / std::max(pair.within_ns(window), 1e-3);
        const double share = std::isinf(odds) ? 1 : odds * odds / (1 + odds * odds);
        if (!lead.points.empty() && window.time <= lead.points.back().time) continue;
        const double not_followed = std::abs(window.ahead_ns) * (1 - share);
        lead.points.push_back({window.time, window.ahead_ns * share, pair.within_ns(window) + not_followed});
    }
    // Before the first window and after the last, the rounds at the start and the end of the run say more.
    const auto add_end = [&](bool front) {
        const auto end_of = [&](std::uint32_t clock) {
            const std::vector<ClockOffset::Point>& rounds = within.measured(clock);
            return rounds.empty() ? ClockOffset::Point{} : front ? rounds.front() : rounds.back();
        };
        if (within.measured(pair.first).empty() && within.measured(pair.second).empty()) return;
        const ClockOffset::Point a = end_of(pair.first);
        const ClockOffset::Point b = end_of(pair.second);
        const GlobalTime time = within.measured(pair.second).empty() ? a.time : b.time;
        const ClockOffset::Point end{time, b.ns - a.ns, a.within_ns + b.within_ns};
        if (front && time < lead.points.front().time) lead.points.insert(lead.points.begin(), end);
        if (!front && time > lead.points.back().time) lead.points.push_back(end);
    };
    if (lead.points.empty()) return lead;
    add_end(true);
    add_end(false);
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

double ClockOffset::at(GlobalTime time) const {
    if (points.empty()) return 0;
    const auto after = std::upper_bound(points.begin(), points.end(), time,
                                        [](GlobalTime t, const Point& point) { return t < point.time; });
    const auto chord = [&](std::size_t j) {
        return (points[j + 1].ns - points[j].ns) / static_cast<double>(points[j + 1].time - points[j].time);
    };
    if (points.size() == 1) return points.front().ns;
    if (after == points.begin()) return points.front().ns + chord(0) * static_cast<double>(time - points.front().time);
    if (after == points.end())
        return points.back().ns + chord(points.size() - 2) * static_cast<double>(time - points.back().time);
    const auto i = static_cast<std::size_t>(after - points.begin()) - 1;
    const auto slope = [&](std::size_t j) {
        if (j == 0) return chord(0);
        if (j + 1 == points.size()) return chord(j - 1);
        const auto left = static_cast<double>(points[j].time - points[j - 1].time);
        const auto right = static_cast<double>(points[j + 1].time - points[j].time);
        return (right * chord(j - 1) + left * chord(j)) / (left + right);
    };
    const auto width = static_cast<double>(points[i + 1].time - points[i].time);
    const double u = static_cast<double>(time - points[i].time) / width;
    const double s = chord(i);
    return points[i].ns + s * u * width + width * u * (1 - u) * ((1 - u) * (slope(i) - s) - u * (slope(i + 1) - s));
}

// Between two points the worse of both holds. Outside, the bounds widen with time: by how wrong the line through the
// two nearest points may be, and by the drift that a clock may have against a line. A single point gives no line, and
// the clock may have its whole drift.
double ClockOffset::within(GlobalTime time) const {
    if (points.empty()) return 0;
    const auto to = [&](const Point& point) { return std::abs(ns_from(point.time, time)); };
    if (points.size() == 1) return points.front().within_ns + 5e-5 * to(points.front());
    const auto beyond = [&](const Point& last, const Point& before) {
        const double line = (last.within_ns + before.within_ns) / std::abs(ns_from(before.time, last.time));
        return last.within_ns + (1e-5 + line) * to(last);
    };
    const auto after = std::upper_bound(points.begin(), points.end(), time,
                                        [](GlobalTime t, const Point& point) { return t < point.time; });
    if (after == points.begin()) return beyond(points[0], points[1]);
    if (after == points.end()) return beyond(points.back(), points[points.size() - 2]);
    return std::max(std::prev(after)->within_ns, after->within_ns);
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
void add_leads(std::uint32_t root, const Neighbors& neighbors, const Within& within, const Windows& windows,
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
            const ClockOffset between = lead_of(*pair, within, windows);
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
                                          const Windows& windows) {
    std::vector<Pair> pairs = pairs_of(messages);
    for (Pair& pair : pairs) drop_wide(pair, windows.count);
    const Within within{known};
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
        if (!leads.contains(root)) add_leads(root, neighbors, within, windows, times, leads);
    std::vector<ClockOffset> result;
    for (auto& [clock, lead] : leads) result.push_back(std::move(lead));
    return result;
}

} // namespace tactus
