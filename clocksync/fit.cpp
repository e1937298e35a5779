#include "clocksync/fit.hpp"

#include "clocksync/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tactus {
namespace {

// How far the nominal rate of a timer may be from that of another host, because of crystals and of what NTP does to
// CLOCK_MONOTONIC.
constexpr double nominal_error = 100e-6;
// How fast a rate that was measured twice may have wandered between the measurements, and how far in all.
constexpr double rate_change_per_ns = 1e-9 * 1e-9; // 0.001 ppm a second
constexpr double rate_change = 0.05e-6;

double rate_of(const ClockFacts& facts) {
    return ns_per_tick(facts.timer, facts.anchors.front(), facts.anchors.back());
}

struct Round {
    FittedRound seen;
    std::vector<Exchange> samples;
};

std::int64_t ticks_from(Ticks from, Ticks to) { return static_cast<std::int64_t>(to - from); }

// Converts to local and global nanoseconds since the first sample, which keeps the numbers small.
class Scale {
  public:
    Scale(const ClockFacts& facts, const TimeMap& master)
        : rate_{rate_of(facts)}, resolution_{facts.timer_resolution}, master_{&master} {
        local_ = facts.anchors.front().tick;
        for (const SyncRound& round : facts.rounds)
            if (!round.samples.empty()) {
                local_ = round.samples.front().sent;
                global_ = master.at(round.samples.front().master);
                break;
            }
    }
    [[nodiscard]] double resolution_ns() const { return static_cast<double>(resolution_) * rate_; }
    [[nodiscard]] Exchange exchange(const SyncSample& sample) const {
        return {.sent = local(sample.sent),
                .master = ns_between(global_, master_->at(sample.master)) / time_units_per_ns,
                .received = local(sample.received),
                .master_half_width = master_->half_width_ns(sample.master),
                .crowded = false};
    }
    [[nodiscard]] double local(Ticks tick) const { return static_cast<double>(ticks_from(local_, tick)) * rate_; }
    [[nodiscard]] Ticks tick(double local) const { return local_ + static_cast<Ticks>(std::llround(local / rate_)); }
    [[nodiscard]] GlobalTime time(const Point& point) const { return add_ns(global_, point.global()); }
    // Gives the knot at a point. Its tick is whole, so the point moves along the curve by less than a tick.
    [[nodiscard]] ClockKnot knot(const Point& point, double slope) const {
        ClockKnot knot{.tick = tick(point.local), .rate = rate_ * (1 + slope), .half_width_ns = point.half_width};
        const double moved = local(knot.tick) - point.local;
        knot.time = add_ns(global_, point.global() + moved * (1 + slope));
        return knot;
    }

  private:
    double rate_;
    Ticks resolution_;
    const TimeMap* master_;
    Ticks local_ = 0;
    GlobalTime global_ = 0;
};

std::optional<Point> condense(Fit fit, const std::vector<Exchange>& samples, const Drift& drift) {
    const auto bounded = condense_by_bounds(samples, drift);
    if (fit == Fit::interval || !bounded) return bounded;
    auto mean = condense_by_mean(samples);
    const double difference = mean->offset - (bounded->offset + drift.rate * (mean->local - bounded->local));
    mean->half_width = bounded->half_width + std::abs(difference);
    mean->bound = bounded->bound + std::abs(difference);
    mean->contradiction = bounded->contradiction;
    return mean;
}

class Fitting {
  public:
    Fitting(Fit fit, const ClockFacts& facts, const TimeMap& master) : fit_{fit}, scale_{facts, master} {
        for (const SyncRound& measured : facts.rounds) add(measured);
        std::stable_sort(rounds_.begin(), rounds_.end(),
                         [](const Round& a, const Round& b) { return a.seen.round.number < b.seen.round.number; });
        map_.fit = fit;
    }

    [[nodiscard]] std::vector<FittedRound> rounds() const {
        std::vector<FittedRound> seen;
        for (const Round& round : rounds_) seen.emplace_back(round.seen).time = scale_.time(round.seen.point);
        return seen;
    }

    // False when there is no usable round.
    bool run() {
        for (std::size_t i = 0; i < rounds_.size(); ++i)
            if (!rounds_[i].seen.round.rejected) groups_.push_back({i});
        settle(nominal_error);
        if (groups_.empty()) return false;
        leave_out_backward();
        if (fit_ == Fit::interval) join_close_rounds();
        // The drift moves the samples of a round to one moment, and is known better each time.
        for (int pass = 0; pass < 3; ++pass) {
            measure_slopes();
            settle(points_.size() > 1 ? drift_error() : nominal_error);
        }
        measure_slopes();
        name_contradictions();
        if (points_.size() == 1) {
            note(ClockTrouble::one_round, points_.front().local, 0);
            map_.drift_ppm = nominal_error * 1e6;
            map_.knots = {scale_.knot(points_.front(), 0)};
            return true;
        }
        map_.drift_ppm = 1e6 * drift_error();
        make_knots();
        return true;
    }
    [[nodiscard]] TimeMap map() && { return std::move(map_); }

  private:
    void add(const SyncRound& measured) {
        Round round;
        round.seen.round = measured;
        round.seen.round.samples.clear();
        round.seen.samples = measured.samples.size();
        for (const SyncSample& sample : measured.samples)
            if (ticks_from(sample.sent, sample.received) >= 0) {
                round.samples.push_back(scale_.exchange(sample));
                round.samples.back().crowded = measured.crowded || measured.by_barrier;
            }
        if (const auto point = condense(fit_, round.samples, {0, nominal_error, scale_.resolution_ns()})) {
            round.seen.point = *point;
            round.seen.tick = scale_.tick(point->local);
        } else {
            round.seen.round.rejected = true; // the clock ran back in every sample
        }
        rounds_.push_back(std::move(round));
    }

    void note(ClockTrouble trouble, double local, double amount_ns) {
        for (ClockNote& known : map_.notes)
            if (known.trouble == trouble && trouble != ClockTrouble::step) {
                ++known.count;
                return;
            }
        map_.notes.push_back({trouble, scale_.tick(local), amount_ns, 1});
    }

    // Computes the points of all groups, by what is known of the drift.
    void settle(double drift_error) {
        points_.clear();
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const Drift drift{g < slopes_.size() ? slopes_[g] : 0, drift_error, scale_.resolution_ns()};
            std::vector<Exchange> samples;
            for (const std::size_t i : groups_[g])
                samples.insert(samples.end(), rounds_[i].samples.begin(), rounds_[i].samples.end());
            points_.push_back(*condense(fit_, samples, drift));
            for (const std::size_t i : groups_[g]) rounds_[i].seen.point = *condense(fit_, rounds_[i].samples, drift);
        }
        doubt_slow_ones();
    }

    // Where the quickest messages of a round took more than twice as long as those of the best round, something delayed
    // them, perhaps in one direction only. The half-width of such a round grows.
    void doubt_slow_ones() {
        constexpr double much_slower = 2;
        double best = points_.empty() ? 0 : points_.front().bound;
        for (const Point& point : points_) best = std::min(best, point.bound);
        for (Point& point : points_)
            point.half_width =
                std::min(point.bound, point.half_width + std::max(0.0, point.bound - much_slower * best));
    }

    // Keeps the longest series of rounds in which both clocks went on. The others are left out and noted.
    void leave_out_backward() {
        const std::size_t count = points_.size();
        std::vector<std::size_t> length(count, 1);
        std::vector<std::size_t> previous(count, count);
        std::size_t best = 0;
        constexpr std::size_t far_enough = 64; // how many rounds to look back in a job of very many rounds
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = i - std::min(i, far_enough); j < i; ++j)
                if (points_[j].local < points_[i].local && points_[j].global() < points_[i].global() &&
                    length[j] + 1 >= length[i]) {
                    length[i] = length[j] + 1;
                    previous[i] = j;
                }
            if (length[i] >= length[best]) best = i;
        }
        std::vector<bool> kept(count, false);
        for (std::size_t i = best; i < count; i = previous[i]) kept[i] = true;
        std::vector<std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < count; ++i) {
            const bool same = !kept[i] && points_[i].local == points_[best].local;
            if (kept[i])
                groups.push_back(groups_[i]);
            else
                note(same ? ClockTrouble::no_time : ClockTrouble::not_increasing, points_[i].local, 0);
        }
        keep(std::move(groups));
    }

    void keep(std::vector<std::vector<std::size_t>> groups) {
        groups_ = std::move(groups);
        slopes_.clear();
        settle(nominal_error);
    }

    // Joins rounds so close to each other that their noise would become a slope for a much longer time. Where the drift
    // between them differs from that beside them by more than noise, they are not joined.
    void join_close_rounds() {
        for (auto with_next = close_pairs(); !with_next.empty(); with_next = close_pairs()) {
            std::vector<std::vector<std::size_t>> groups;
            for (std::size_t i = 0; i < groups_.size(); ++i)
                if (i > 0 && with_next[i - 1])
                    groups.back().insert(groups.back().end(), groups_[i].begin(), groups_[i].end());
                else
                    groups.push_back(groups_[i]);
            keep(std::move(groups));
        }
    }

    // Chooses the points to be joined with the next, the closest first, and no point twice. All are chosen in one go,
    // for a job of very many rounds. Empty when there are none.
    [[nodiscard]] std::vector<bool> close_pairs() const {
        std::vector<std::size_t> close;
        for (std::size_t gap = 0; gap + 1 < points_.size(); ++gap) {
            const double wide = width(gap);
            const double beside = std::max(gap > 0 ? width(gap - 1) : 0, gap + 2 < points_.size() ? width(gap + 1) : 0);
            const double noise = points_[gap].half_width + points_[gap + 1].half_width;
            const bool dwarfed = wide * most_gap_ratio < beside && std::abs(bend(gap)) * wide <= noise;
            if (dwarfed || noise > nominal_error * wide) close.push_back(gap);
        }
        std::stable_sort(close.begin(), close.end(),
                         [this](std::size_t a, std::size_t b) { return width(a) < width(b); });
        std::vector<bool> with_next(close.empty() ? 0 : points_.size(), false);
        for (const std::size_t gap : close) with_next[gap] = !with_next[gap + 1] && (gap == 0 || !with_next[gap - 1]);
        return with_next;
    }

    [[nodiscard]] double width(std::size_t gap) const { return points_[gap + 1].local - points_[gap].local; }
    [[nodiscard]] double chord(std::size_t gap) const {
        return (points_[gap + 1].offset - points_[gap].offset) / width(gap);
    }
    // How much the drift in a gap differs from that of the longer of the gaps beside it.
    [[nodiscard]] double bend(std::size_t gap) const {
        const bool has_next = gap + 2 < points_.size();
        const bool next = has_next && (gap == 0 || width(gap + 1) > width(gap - 1));
        return chord(gap) - chord(next ? gap + 1 : gap - 1);
    }

    void measure_slopes() {
        slopes_.assign(points_.size(), 0);
        steps_.clear();
        if (points_.size() < 2) return;
        steps_ = steps_in(points_);
        const std::vector<Point> even = without_steps(points_, steps_);
        slopes_ = fit_ == Fit::itac ? constrained_slopes(even) : three_point_slopes(even);
        if (fit_ == Fit::interval) calm(even, slopes_);
        keep_rising(points_, slopes_);
    }

    // The error of the slopes at the ends, in ns per ns.
    [[nodiscard]] double drift_error() const {
        const std::size_t last = points_.size() - 1;
        const double ends[] = {(points_[0].half_width + points_[1].half_width) / width(0),
                               (points_[last].half_width + points_[last - 1].half_width) / width(last - 1)};
        const double bends[] = {std::abs(slopes_[1] - slopes_[0]), std::abs(slopes_[last] - slopes_[last - 1])};
        return std::max(ends[0] + bends[0], ends[1] + bends[1]) + rate_change;
    }

    void name_contradictions() {
        for (const Point& point : points_)
            if (point.contradiction > 1) note(ClockTrouble::contradiction, point.local, point.contradiction);
    }

    void make_knots() {
        if (fit_ == Fit::itac && points_.size() == 2) take_regression();
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const ClockKnot knot = scale_.knot(points_[i], slopes_[i]);
            map_.knots.push_back(knot);
        }
        const std::vector<double> bulge = bulges(without_steps(points_, steps_), slopes_);
        for (std::size_t gap = 0; gap < bulge.size(); ++gap) {
            const double wide = width(gap);
            const double wander = std::min(rate_change_per_ns * wide * wide / 8, rate_change * wide / 4);
            map_.knots[gap].bulge_ns = bulge[gap] + wander;
        }
        for (const Step& step : steps_)
            note(ClockTrouble::step, (points_[step.gap].local + points_[step.gap + 1].local) / 2, -step.jump);
        std::for_each(steps_.rbegin(), steps_.rend(), [this](const Step& step) { widen(step); });
    }

    // A step may have been anywhere in its gap. So two more knots are put near the ends of the gap, and between these
    // the clock may be wrong by the whole step.
    void widen(const Step& step) {
        constexpr double edge = 0.01;
        constexpr double narrow_ns = 1000;
        const auto left = map_.knots.begin() + static_cast<std::ptrdiff_t>(step.gap);
        if (width(step.gap) * edge < narrow_ns) {
            left->bulge_ns += std::abs(step.jump);
            return;
        }
        std::array<ClockKnot, 2> inner;
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
            OnCurve on = on_curve(points_, slopes_, step.gap, i == 0 ? edge : 1 - edge);
            on.point.half_width += std::abs(step.jump);
            inner[i] = scale_.knot(on.point, on.slope);
        }
        inner[0].bulge_ns = std::exchange(left->bulge_ns, 0);
        map_.knots.insert(left + 1, inner.begin(), inner.end());
    }

    // Lays a regression line through all samples of both rounds, except for the slowest tenth of each round.
    void take_regression() {
        std::vector<Exchange> all;
        for (const auto& group : groups_)
            for (const Exchange& sample : without_slowest_tenth(rounds_[group.front()].samples)) all.push_back(sample);
        double x = 0;
        double y = 0;
        for (const Exchange& sample : all) {
            x += sample.middle() / static_cast<double>(all.size());
            y += (sample.master - sample.middle()) / static_cast<double>(all.size());
        }
        double xx = 0;
        double xy = 0;
        for (const Exchange& sample : all) {
            const double from_mean = sample.middle() - x;
            xx += from_mean * from_mean;
            xy += from_mean * (sample.master - sample.middle() - y);
        }
        if (!(xx > 0)) return;
        slopes_.assign(2, xy / xx);
        for (Point& point : points_) point.offset = y + xy / xx * (point.local - x);
        keep_rising(points_, slopes_);
    }

    Fit fit_;
    Scale scale_;
    std::vector<Round> rounds_;
    std::vector<std::vector<std::size_t>> groups_; // each group of rounds makes one point
    std::vector<Point> points_;
    Slopes slopes_;
    std::vector<Step> steps_;
    TimeMap map_;
};

} // namespace

bool is_one_clock(std::span<const SyncRound> rounds) {
    for (const SyncRound& round : rounds)
        for (const SyncSample& sample : round.samples)
            if (ticks_from(sample.sent, sample.master) < 0 || ticks_from(sample.master, sample.received) < 0)
                return false;
    return true;
}

TimeMap map_of_reference(const ClockFacts& facts) { return straight(facts.anchors.front().tick, 0, rate_of(facts)); }

FittedClock fit_clock(Fit fit, const ClockFacts& facts, const TimeMap& master, const TimeMap& otherwise) {
    Fitting fitting{fit, facts, master};
    const bool shared = facts.place.relation == ClockRelation::shared;
    if (shared && is_one_clock(facts.rounds)) return {master, fitting.rounds()};
    FittedClock fitted;
    if (fitting.run()) fitted.map = std::move(fitting).map();
    if (!fitted.map.is_sound()) { // the rounds of a damaged file may hold any numbers
        fitted.map = otherwise;
        fitted.map.notes.push_back({ClockTrouble::no_round, facts.anchors.front().tick, 0, 1});
    }
    fitted.rounds = fitting.rounds();
    if (shared) fitted.map.notes.push_back({ClockTrouble::own_clock, facts.anchors.front().tick, 0, 1});
    return fitted;
}

} // namespace tactus
