// The clocks as text: a head, a line for each rank, both fits side by side, how errors grow with the level, what is
// wrong, and the messages in disorder.
#include "cli/clocks/clocks.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace tactus {
namespace {

using Align = Table::Align;

constexpr std::size_t most_clock_rows = 32;
constexpr std::size_t most_notes = 32;

std::string ns_text(double ns) {
    if (!std::isfinite(ns)) return "?";
    if (std::abs(ns) < 1000) return fmt::format("{:.0f} ns", ns);
    return std::abs(ns) < 1e18 ? duration_text(1e-9 * ns) : fmt::format("{:.3g} s", 1e-9 * ns);
}

std::string signed_ns_text(double ns) {
    if (std::abs(ns) < 0.5) return "0 ns";
    return (ns > 0 ? "+" : "") + ns_text(ns);
}

std::string width_text(double ns, bool known) { return known ? ns_text(ns) : "unknown"; }

std::string drift_text(double ppm) {
    if (!std::isfinite(ppm)) return "?";
    return std::abs(ppm) < 1e6 ? fmt::format("{:+.3f}", ppm) : fmt::format("{:+.3g}", ppm);
}

std::string moment_text(double seconds) {
    return std::isfinite(seconds) && std::abs(seconds) < 1e9 ? fmt::format("{:.6f} s", seconds) : "an unknown time";
}

const char* name_of_fit(Fit fit) { return fit_names[static_cast<std::size_t>(fit)]; }

std::string timers_of(const ClocksFacts& facts) {
    std::set<std::string> names;
    for (const RankClock& clock : facts.ranks) names.insert(name_of(clock.timer));
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return fmt::format("{} {}", names.size() == 1 ? "timer" : "timers", text);
}

std::string topology_text(const ClocksFacts& facts) {
    if (facts.levels.empty()) return "";
    const std::uint32_t depth = facts.levels.back().level;
    return depth < 2 ? "; all against rank 0" : fmt::format("; tree of depth {}", depth);
}

const char* source_text(const ClocksFacts& facts) {
    if (facts.stored) return "the time maps that the run stored";
    return facts.fit == Fit::raw ? "the hosts' dates as they are" : "made again from what was measured";
}

void print_head(const Trace& trace, const ClocksFacts& facts) {
    const Header& header = trace.ranks.front().header();
    fmt::print("{}: {}, {}\n", printable(file_name(header.program)), plural(facts.ranks.size(), "rank", "ranks"),
               timers_of(facts));
    if (!facts.measured) {
        fmt::print("No clock was measured: every rank's time is its host's date as it was at the start.\n");
        return;
    }
    const std::size_t shared = facts.count(ClockRelation::shared);
    fmt::print("{} measured{}{}; fit {} ({})\n", plural(facts.count(ClockRelation::measured), "clock", "clocks"),
               shared == 0 ? "" : fmt::format(", {} on another rank's clock", plural(shared, "rank", "ranks")),
               topology_text(facts), name_of_fit(facts.fit), source_text(facts));
}

std::string relation_text(const RankClock& clock) {
    if (!clock.placed) return "unknown";
    switch (clock.place.relation) {
    case ClockRelation::reference:
        return "reference";
    case ClockRelation::measured:
        return fmt::format("measured against {}", clock.place.master);
    case ClockRelation::shared:
        return fmt::format("as rank {}", clock.place.master);
    }
    return "unknown"; // A damaged file may have any value.
}

// Returns all ranks, or if there are too many, those whose clocks have the largest half-widths.
std::vector<const RankClock*> shown_ranks(const ClocksFacts& facts) {
    std::vector<const RankClock*> shown;
    shown.reserve(facts.ranks.size());
    for (const RankClock& clock : facts.ranks) shown.push_back(&clock);
    if (shown.size() <= most_clock_rows) return shown;
    const auto doubt = [](const RankClock* clock) {
        return std::pair{!clock->numbers.known, clock->numbers.half_width_worst_ns};
    };
    std::stable_sort(shown.begin(), shown.end(), [&](const auto* a, const auto* b) { return doubt(a) > doubt(b); });
    shown.resize(most_clock_rows);
    return shown;
}

std::string title(const ClocksFacts& facts, const char* what) {
    if (facts.ranks.size() <= most_clock_rows) return what;
    return fmt::format("{}; the {} of {} ranks with the widest clocks (--json has all)", what, most_clock_rows,
                       facts.ranks.size());
}

void print_ranks(const ClocksFacts& facts) {
    Table table{{{"rank"},
                 {"host", Align::left},
                 {"clock", Align::left},
                 {"offset"},
                 {"drift ppm"},
                 {"rounds"},
                 {"rejected"},
                 {"+- start"},
                 {"+- end"},
                 {"+- worst"}}};
    for (const RankClock* clock : shown_ranks(facts)) {
        const ClockNumbers& n = clock->numbers;
        table.row({std::to_string(clock->rank), clock->host, relation_text(*clock), signed_ns_text(n.offset_ns),
                   drift_text(n.drift_ppm), count_text(clock->rounds.size()), count_text(clock->rejected),
                   width_text(n.half_width_start_ns, n.known), width_text(n.half_width_end_ns, n.known),
                   width_text(n.half_width_worst_ns, n.known)});
    }
    fmt::print("\n{}\n{}", title(facts, "Clocks (offset at the start and drift: what is added to the rank's own time)"),
               table.text());
}

// Shows the ranks whose clocks were not measured.
void print_refined(const ClocksFacts& facts) {
    Table table{{{"rank"}, {"host", Align::left}, {"offset"}, {"drift ppm"}, {"+- start"}, {"+- end"}, {"+- worst"}}};
    for (const RankClock* clock : shown_ranks(facts)) {
        const ClockNumbers& n = clock->refined;
        if (!n.known) continue;
        table.row({std::to_string(clock->rank), clock->host, signed_ns_text(n.offset_ns), drift_text(n.drift_ppm),
                   width_text(n.half_width_start_ns, true), width_text(n.half_width_end_ns, true),
                   width_text(n.half_width_worst_ns, true)});
    }
    if (table.empty()) return;
    fmt::print("\n{}\n{}", title(facts, "Clocks by what ranks did together (against the first; what is added)"),
               table.text());
}

void print_fits(const ClocksFacts& facts) {
    Table table{
        {{"rank"}, {"interval"}, {"drift ppm"}, {"+- worst"}, {"itac"}, {"drift ppm"}, {"+- worst"}, {"most apart"}}};
    for (const RankClock* clock : shown_ranks(facts)) {
        const auto& [interval, itac] = clock->fits;
        table.row({std::to_string(clock->rank), signed_ns_text(interval.offset_ns), drift_text(interval.drift_ppm),
                   width_text(interval.half_width_worst_ns, interval.known), signed_ns_text(itac.offset_ns),
                   drift_text(itac.drift_ppm), width_text(itac.half_width_worst_ns, itac.known),
                   ns_text(clock->fit_difference_ns)});
    }
    fmt::print("\n{}\n{}", title(facts, "Both fits (offset, drift, and how far they are apart over the run)"),
               table.text());
}

void print_levels(const ClocksFacts& facts) {
    if (facts.levels.empty() || facts.levels.back().level < 2) return;
    Table table{{{"level"}, {"clocks"}, {"+- median"}, {"growth"}, {"+- worst"}, {"growth"}}};
    const ClockLevel* before = nullptr;
    for (const ClockLevel& level : facts.levels) {
        const bool first = before == nullptr;
        table.row({std::to_string(level.level), count_text(level.clocks), ns_text(level.median_ns),
                   first ? "" : signed_ns_text(level.median_ns - before->median_ns), ns_text(level.worst_ns),
                   first ? "" : signed_ns_text(level.worst_ns - before->worst_ns)});
        before = &level;
    }
    fmt::print("\nHalf-widths by level (exchanges to rank 0)\n{}", table.text());
}

std::string note_text(const RankClock& clock, const TimedNote& note) {
    const ClockTroubleText& text = clock_troubles[static_cast<std::size_t>(note.note.trouble)];
    std::string line = fmt::format("rank {}: {} at {}", clock.rank, text.name, moment_text(note.time_s));
    if (note.note.amount_ns != 0) line += ", " + signed_ns_text(note.note.amount_ns);
    if (note.note.count > 1) line += fmt::format(", {} times", count_text(note.note.count));
    return line + ": " + text.meaning;
}

void print_notes(const ClocksFacts& facts) {
    fmt::print("\nWhat is wrong with clocks\n");
    std::size_t printed = 0;
    std::size_t all = 0;
    std::uint64_t rejected = 0;
    std::uint64_t rounds = 0;
    for (const RankClock& clock : facts.ranks) {
        rejected += clock.rejected;
        rounds += clock.rounds.size();
        all += clock.notes.size();
        for (const TimedNote& note : clock.notes)
            if (printed < most_notes) {
                fmt::print("  {}\n", note_text(clock, note));
                ++printed;
            }
    }
    if (all > printed) fmt::print("  and {} more (--json has all)\n", count_text(all - printed));
    if (rejected > 0)
        fmt::print("  {} of {} rejected, being much wider than others or without a sample that can be used\n",
                   count_text(rejected), plural(rounds, "round", "rounds"));
    if (all == 0 && rejected == 0) fmt::print("  nothing\n");
}

void print_messages(const ClocksFacts& facts) {
    const ReversedPairs& reversed = facts.reversed;
    fmt::print("\nMessages received before they were sent\n  of {}: {} by the hosts' dates",
               plural(reversed.messages.matched, "pair", "pairs"), count_text(reversed.raw));
    if (facts.measured) {
        fmt::print(", {} by the time maps", count_text(reversed.fitted));
        for (std::size_t fit = 0; fit < compared_fits.size(); ++fit)
            fmt::print("; {} by {}", count_text(reversed.fits[fit]), name_of_fit(compared_fits[fit]));
    }
    fmt::print("\n");
    for (std::size_t i = 0; i < unmatched_count; ++i)
        if (reversed.messages.unmatched[i] > 0)
            fmt::print("  {} left out: {}\n", count_text(reversed.messages.unmatched[i]), unmatched_meanings[i]);
}

} // namespace

void print_clocks_text(const Trace& trace, const ClocksFacts& facts) {
    print_head(trace, facts);
    print_ranks(facts);
    print_refined(facts);
    if (facts.measured) {
        print_fits(facts);
        print_levels(facts);
        print_notes(facts);
    }
    print_messages(facts);
}

} // namespace tactus
