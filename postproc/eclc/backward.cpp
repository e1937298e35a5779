#include "postproc/eclc/backward.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

__extension__ typedef __int128 Wide; // products of two spans of time

// At `time` an event becomes `more` later.
struct Point {
    GlobalTime time = 0;
    GlobalTime more = 0;
};

// Whether b lies on or above the line from a to c. The points are ordered from right to left.
bool is_above(const Point& a, const Point& b, const Point& c) {
    return (Wide{a.more} - b.more) * (Wide{b.time} - c.time) <= (Wide{b.more} - c.more) * (Wide{a.time} - b.time);
}

// The lower convex hull of points that are added from right to left.
class Hull {
  public:
    void begin(const Point& right) { points_.assign(1, right); }
    void add(const Point& point) {
        if (point.time == points_.back().time) { // events of equal times move together
            const Point lower{point.time, std::min(points_.back().more, point.more)};
            points_.pop_back();
            if (points_.empty())
                points_.push_back(lower);
            else
                add(lower);
            return;
        }
        while (points_.size() > 1 && is_above(points_[points_.size() - 2], points_.back(), point)) points_.pop_back();
        points_.push_back(point);
    }
    // To be called from right to left. `i` is 0 at first, and is kept between calls.
    [[nodiscard]] GlobalTime at(GlobalTime time, std::size_t& i) const {
        while (i + 2 < points_.size() && time < points_[i + 1].time) ++i;
        const Point& right = points_[i];
        const Point& left = points_[i + 1];
        const Wide rise = (Wide{right.more} - left.more) * (Wide{time} - left.time);
        return left.more + static_cast<GlobalTime>(rise / (Wide{right.time} - left.time)); // neither is negative
    }
    [[nodiscard]] bool is_line() const { return points_.size() > 1; }
    [[nodiscard]] double steepest() const {
        if (points_.size() < 2) return 0;
        return static_cast<double>(points_[0].more - points_[1].more) /
               static_cast<double>(points_[0].time - points_[1].time);
    }

  private:
    std::vector<Point> points_;
};

} // namespace

GlobalTime window_begin(GlobalTime time, GlobalTime jump, double slope) {
    constexpr double longest = 1e18;
    const double before = std::min(static_cast<double>(jump) / slope, longest);
    return time - jump - static_cast<GlobalTime>(std::llround(before));
}

double stretch(PagedList<Event>& events, std::span<const Jump> jumps, std::span<const Limit> limits, double slope) {
    double steepest = 0;
    Hull hull;
    for (const Jump& jump : jumps) {
        const Event& event = events[jump.event];
        const GlobalTime right = event.stamp - jump.size; // the event's time without the jump
        const GlobalTime left = std::max(window_begin(event.stamp, jump.size, slope), events.front().stamp);
        if (left >= right) continue; // no event lies before it
        hull.begin({right, jump.size});
        auto limit =
            std::lower_bound(limits.begin(), limits.end(), jump.event,
                             [](const Limit& candidate, std::size_t number) { return candidate.event < number; });
        for (; limit != limits.begin(); --limit) {
            const Limit& before = *std::prev(limit);
            const GlobalTime stamp = events[before.event].stamp;
            if (stamp <= left) break;
            hull.add({stamp, std::max<GlobalTime>(before.time - stamp, 0)});
        }
        hull.add({left, 0});
        if (!hull.is_line()) continue;
        steepest = std::max(steepest, hull.steepest());
        std::size_t i = 0;
        for (std::size_t j = jump.event; j-- > 0 && events[j].stamp > left;) {
            events[j].stamp += hull.at(events[j].stamp, i);
            events.pass(j);
        }
    }
    return steepest;
}

} // namespace tactus
