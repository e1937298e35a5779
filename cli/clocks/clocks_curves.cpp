#include "cli/clocks/clocks_curves.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr std::size_t fine = 240;  // points of each curve
constexpr std::size_t coarse = 60; // points of each curve when there are many
constexpr std::size_t many_curves = 100;

bool has_own_clock(const RankClock& clock) {
    const auto own = [](const TimedNote& note) { return note.note.trouble == ClockTrouble::own_clock; };
    return clock.place.relation != ClockRelation::shared || std::any_of(clock.notes.begin(), clock.notes.end(), own);
}

class StraightLine {
  public:
    StraightLine(const CurvePoint& first, const CurvePoint& last) : first_{first} {
        if (last.time_s > first.time_s) slope_ = (last.ahead_ns - first.ahead_ns) / (last.time_s - first.time_s);
    }
    // Sets bend_ns of the points.
    void bend(std::vector<CurvePoint>& points) const {
        for (CurvePoint& point : points)
            point.bend_ns = point.ahead_ns - first_.ahead_ns - slope_ * (point.time_s - first_.time_s);
    }

  private:
    CurvePoint first_;
    double slope_ = 0;
};

class Curve {
  public:
    Curve(const Trace& trace, std::size_t i)
        : zero_{trace.zero}, file_{trace.ranks[i]}, date_{file_.clock_by_date(trace.origin_realtime_ns())} {}

    [[nodiscard]] CurvePoint at(Ticks tick) const {
        const TimeMap& map = file_.clock().fitted;
        const GlobalTime time = map.at(tick);
        CurvePoint point;
        point.time_s = 1e-9 * ns_from(zero_, time);
        point.ahead_ns = ns_from(time, date_.at(tick));
        point.half_width_ns = map.half_width_ns(tick);
        return point;
    }
    [[nodiscard]] std::vector<CurvePoint> points(std::size_t wanted, const std::vector<ClockRound>& rounds) const {
        const ClockRun run = run_of(file_);
        ClockRun drawn = run;
        for (const ClockRound& round : rounds) // The last round is made after the file was closed.
            if (round.usable && round.fitted.tick > drawn.last && round.fitted.tick - run.last < run.last - run.first)
                drawn.last = round.fitted.tick;
        std::vector<CurvePoint> all;
        all.reserve(wanted + 1);
        for (std::size_t i = 0; i <= wanted; ++i) all.push_back(at(drawn.moment(i, wanted)));
        return all;
    }

  private:
    GlobalTime zero_;
    const RankFile& file_;
    TimeMap date_;
};

// Returns the line through the points of the curve at the first and the last round that count. If there are not two of
// these, it goes through the first and the last point.
StraightLine line_of(const Curve& curve, const ClockCurve& drawn, const std::vector<ClockRound>& rounds) {
    const auto counts = [](const ClockRound& round) { return round.usable && !round.fitted.round.rejected; };
    const auto first = std::find_if(rounds.begin(), rounds.end(), counts);
    const auto last = std::find_if(rounds.rbegin(), rounds.rend(), counts);
    if (first == rounds.end() || first->fitted.tick >= last->fitted.tick)
        return {drawn.points.front(), drawn.points.back()};
    return {curve.at(first->fitted.tick), curve.at(last->fitted.tick)};
}

ClockCurve curve_of(const Trace& trace, const RankClock& clock, std::size_t i, std::size_t points) {
    const Curve curve{trace, i};
    ClockCurve drawn;
    drawn.rank = clock.rank;
    drawn.name = fmt::format("rank {}, {}", clock.rank, clock.host);
    drawn.known = clock.numbers.known;
    drawn.points = curve.points(points, clock.rounds);
    for (const ClockRound& round : clock.rounds) {
        if (!round.usable) continue;
        CurvePoint& point = drawn.rounds.emplace_back();
        point.time_s = round.time_s;
        point.ahead_ns = -round.offset_ns;
        point.half_width_ns = round.fitted.point.half_width;
        point.rejected = round.fitted.round.rejected;
    }
    const StraightLine line = line_of(curve, drawn, clock.rounds);
    line.bend(drawn.points);
    line.bend(drawn.rounds);
    return drawn;
}

} // namespace

double ClockCurve::most_bend_ns() const {
    double most = 0;
    for (const CurvePoint& point : points) most = std::max(most, std::abs(point.bend_ns));
    return most;
}

std::vector<ClockCurve> clock_curves(const Trace& trace, const ClocksFacts& facts) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < facts.ranks.size(); ++i)
        if (has_own_clock(facts.ranks[i])) own.push_back(i);
    std::vector<ClockCurve> curves;
    curves.reserve(own.size());
    for (const std::size_t i : own)
        curves.push_back(curve_of(trace, facts.ranks[i], i, own.size() > many_curves ? coarse : fine));
    return curves;
}

} // namespace tactus
