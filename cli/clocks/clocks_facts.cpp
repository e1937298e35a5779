#include "cli/clocks/clocks_facts.hpp"

#include "cli/messages.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tactus {
namespace {

constexpr std::size_t moments = 200; // parts into which a run is divided

bool says(const TimeMap& map, ClockTrouble trouble) {
    return std::any_of(map.notes.begin(), map.notes.end(),
                       [&](const ClockNote& note) { return note.trouble == trouble; });
}

// Whether the map comes from measurements and not only from the host's date.
bool is_known(const TimeMap& map) {
    return map.fit != Fit::raw && !says(map, ClockTrouble::no_round) && !says(map, ClockTrouble::no_master);
}

double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

ClockNumbers numbers_of(const TimeMap& map, const TimeMap& date, const ClockRun& run) {
    const auto offset = [&](Ticks tick) { return ns_from(date.at(tick), map.at(tick)); };
    ClockNumbers numbers;
    numbers.known = is_known(map);
    numbers.offset_ns = offset(run.first);
    const double own_ns = ns_from(date.at(run.first), date.at(run.last));
    if (own_ns > 0) numbers.drift_ppm = 1e6 * (offset(run.last) - numbers.offset_ns) / own_ns;
    std::vector<double> widths;
    widths.reserve(moments + 1);
    for (std::size_t i = 0; i <= moments; ++i) widths.push_back(map.half_width_ns(run.moment(i, moments)));
    numbers.half_width_start_ns = widths.front();
    numbers.half_width_end_ns = widths.back();
    numbers.half_width_worst_ns = *std::max_element(widths.begin(), widths.end());
    numbers.half_width_ns = median_of(std::move(widths));
    return numbers;
}

// Only for ranks that were not measured. The clocks of ranks that were measured are refined by messages, too, but
// another report shows that.
ClockNumbers refined_numbers(const ProcessClock& clock, const TimeMap& date, const ClockRun& run) {
    ClockNumbers numbers;
    numbers.known = !clock.refined.half_widths.empty();
    if (!numbers.known) return numbers;
    numbers.offset_ns = ns_from(date.at(run.first), clock.at(run.first));
    const double own_ns = ns_from(date.at(run.first), date.at(run.last));
    if (own_ns > 0)
        numbers.drift_ppm = 1e6 * (ns_from(date.at(run.last), clock.at(run.last)) - numbers.offset_ns) / own_ns;
    std::vector<double> widths;
    widths.reserve(moments + 1);
    for (std::size_t i = 0; i <= moments; ++i) widths.push_back(clock.half_width_ns(run.moment(i, moments)));
    numbers.half_width_start_ns = widths.front();
    numbers.half_width_end_ns = widths.back();
    numbers.half_width_worst_ns = *std::max_element(widths.begin(), widths.end());
    numbers.half_width_ns = median_of(std::move(widths));
    return numbers;
}

double largest_difference_ns(const TimeMap& a, const TimeMap& b, const ClockRun& run) {
    double most = 0;
    for (std::size_t i = 0; i <= moments; ++i) {
        const Ticks tick = run.moment(i, moments);
        most = std::max(most, std::abs(ns_from(b.at(tick), a.at(tick))));
    }
    return most;
}

bool is_same(const ClockNote& a, const ClockNote& b) {
    return a.trouble == b.trouble && a.tick == b.tick && a.count == b.count;
}

// Finds the index of a rank in trace.ranks.
class RankPositions {
  public:
    explicit RankPositions(const Trace& trace) {
        for (const RankFile& file : trace.ranks) ranks_.push_back(file.header().rank);
    }
    // Returns the number of ranks if the trace does not have this rank.
    [[nodiscard]] std::size_t of(std::uint32_t rank) const {
        const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
        return found == ranks_.end() || *found != rank ? ranks_.size()
                                                       : static_cast<std::size_t>(found - ranks_.begin());
    }

  private:
    std::vector<std::uint32_t> ranks_;
};

class Facts {
  public:
    Facts(const Trace& trace, std::optional<Fit> wanted) : trace_{trace}, index_{trace} {
        const auto stored = [](const RankFile& file) { return file.stored_clock() != nullptr; };
        const auto placed = [](const RankFile& file) { return !file.definitions().clock_places.empty(); };
        facts_.fit = trace.ranks.front().clock().fitted.fit;
        facts_.stored = !wanted && std::all_of(trace.ranks.begin(), trace.ranks.end(), stored);
        facts_.measured = facts_.stored || std::any_of(trace.ranks.begin(), trace.ranks.end(), placed);
        for (const RankFile& file : trace.ranks) dates_.push_back(file.clock_by_date(trace.origin_realtime_ns()));
        if (!facts_.measured) return;
        for (const Fit fit : compared_fits) fits_.push_back(fit_clocks(trace, fit));
    }

    ClocksFacts all() && {
        for (std::size_t i = 0; i < trace_.ranks.size(); ++i) add_rank(i);
        add_levels();
        add_messages();
        return std::move(facts_);
    }

  private:
    void add_rank(std::size_t i) {
        const RankFile& file = trace_.ranks[i];
        RankClock clock;
        clock.rank = file.header().rank;
        clock.host = printable(file.header().host);
        clock.timer = file.header().timer;
        clock.placed = !file.definitions().clock_places.empty();
        clock.place = clock_facts(file).place;
        const ClockRun run = run_of(file);
        clock.numbers = numbers_of(file.clock().fitted, dates_[i], run);
        if (!clock.numbers.known) clock.refined = refined_numbers(file.clock(), dates_[i], run);
        for (std::size_t fit = 0; fit < fits_.size(); ++fit)
            clock.fits[fit] = numbers_of(fits_[fit][i].map, dates_[i], run);
        if (!fits_.empty()) {
            clock.fit_difference_ns = largest_difference_ns(fits_[0][i].map, fits_[1][i].map, run);
            add_rounds(i, clock);
        }
        add_notes(i, clock);
        facts_.ranks.push_back(std::move(clock));
    }

    // The rounds are those of the fit that the trace was put on, or of the first fit if that one has no rounds.
    void add_rounds(std::size_t i, RankClock& clock) {
        const RankFile& file = trace_.ranks[i];
        for (FittedRound& fitted : fits_[facts_.fit == Fit::itac ? 1 : 0][i].rounds) {
            ClockRound round;
            round.usable = fitted.point.half_width > 0 || fitted.point.bound > 0;
            if (fitted.round.rejected) ++clock.rejected;
            if (round.usable) {
                round.time_s = 1e-9 * ns_from(trace_.zero, file.clock().at(fitted.tick));
                round.offset_ns = ns_from(dates_[i].at(fitted.tick), fitted.time);
            }
            round.fitted = std::move(fitted);
            clock.rounds.push_back(std::move(round));
        }
    }

    void add_notes(std::size_t i, RankClock& clock) const {
        const TimeMap& map = trace_.ranks[i].clock().fitted;
        const std::size_t master = index_.of(clock.place.master);
        const bool shared =
            clock.place.relation == ClockRelation::shared && master < trace_.ranks.size() && master != i;
        for (const ClockNote& note : map.notes) {
            const auto same = [&](const ClockNote& other) { return is_same(note, other); };
            if (shared) {
                const auto& known = trace_.ranks[master].clock().fitted.notes;
                if (std::any_of(known.begin(), known.end(), same)) continue;
            }
            clock.notes.push_back({note, 1e-9 * ns_from(trace_.zero, map.at(note.tick))});
        }
    }

    void add_levels() {
        std::map<std::uint32_t, std::pair<std::vector<double>, double>> levels;
        for (const RankClock& clock : facts_.ranks) {
            if (!clock.placed || clock.place.relation != ClockRelation::measured || !clock.numbers.known) continue;
            auto& [widths, worst] = levels[clock.place.level];
            widths.push_back(clock.numbers.half_width_ns);
            worst = std::max(worst, clock.numbers.half_width_worst_ns);
        }
        for (const auto& [level, widths] : levels)
            facts_.levels.push_back({level, widths.first.size(), median_of(widths.first), widths.second});
    }

    static bool is_reversed(const Message& message, const TimeMap& sender, const TimeMap& receiver) {
        return receiver.at(message.received.tick) < sender.at(message.sent.tick);
    }

    void add_messages() {
        ReversedPairs& reversed = facts_.reversed;
        reversed.messages = for_each_message(trace_, [&](const Message& message) {
            const std::size_t from = index_.of(message.sent.rank);
            const std::size_t to = index_.of(message.received.rank);
            if (std::max(from, to) >= trace_.ranks.size()) return;
            reversed.raw += is_reversed(message, dates_[from], dates_[to]);
            reversed.fitted += is_reversed(message, trace_.ranks[from].clock().fitted, trace_.ranks[to].clock().fitted);
            for (std::size_t fit = 0; fit < fits_.size(); ++fit)
                reversed.fits[fit] += is_reversed(message, fits_[fit][from].map, fits_[fit][to].map);
        });
    }

    const Trace& trace_;
    RankPositions index_;
    std::vector<TimeMap> dates_;
    std::vector<std::vector<FittedClock>> fits_; // in the order of compared_fits; empty when nothing was measured
    ClocksFacts facts_;
};

} // namespace

const char* RankClock::relation() const {
    const auto which = static_cast<std::size_t>(place.relation);
    return !placed || which >= clock_relation_names.size() ? "unknown" : clock_relation_names[which];
}

std::size_t ClocksFacts::count(ClockRelation relation) const {
    return static_cast<std::size_t>(std::count_if(ranks.begin(), ranks.end(), [&](const RankClock& clock) {
        return clock.placed && clock.place.relation == relation;
    }));
}

Ticks ClockRun::moment(std::size_t i, std::size_t of) const {
    if (i >= of) return last;
    const double step = static_cast<double>(last - first) / static_cast<double>(of);
    return first + static_cast<Ticks>(step * static_cast<double>(i));
}

ClockRun run_of(const RankFile& file) {
    constexpr Ticks longest = ~Ticks{0} >> 2; // Anchors and indexes of damaged files may have any value.
    const std::vector<Anchor>& anchors = file.definitions().anchors;
    ClockRun run{anchors.front().tick, anchors.front().tick};
    const auto reach = [&](Ticks tick) {
        if (tick > run.last && tick - run.first < longest) run.last = tick;
    };
    reach(anchors.back().tick);
    for (const IndexEntry& block : file.blocks()) reach(block.last);
    return run;
}

ClocksFacts clocks_facts(const Trace& trace, std::optional<Fit> wanted) { return Facts{trace, wanted}.all(); }

} // namespace tactus
