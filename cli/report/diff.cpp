// `tactus diff`: shows what changed from one trace to another, in seconds per rank, so that runs with different numbers
// of ranks can be compared.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/diff_places.hpp"
#include "cli/report/report.hpp"
#include "cli/report/scaling.hpp"
#include "cli/report/waits_json.hpp"
#include "cli/report/waits_text.hpp"
#include "cli/table.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;
using Align = Table::Align;

// The values of one function, call place or wait in both traces, as means over the ranks.
struct Change {
    std::string name;
    std::string before_at; // the place; empty: there is none
    std::string after_at;
    double before_s = 0;
    double after_s = 0;
    double before_count = 0; // calls or waits
    double after_count = 0;
    [[nodiscard]] double difference() const { return after_s - before_s; }
};

std::string name_in_both(const PlacePair& pair) {
    const SidePlace& place = pair.before != nullptr ? *pair.before : *pair.after;
    if (place.at.empty()) return place.what;
    const bool moved = pair.before != nullptr && pair.after != nullptr && pair.before->at != pair.after->at;
    return fmt::format("{} at {}{}", place.what, place.at, moved ? fmt::format(" (B: {})", pair.after->at) : "");
}

// What both traces have of one kind.
class Changes {
  public:
    // Of one place there may be several.
    void add(bool after, SidePlace place) {
        auto& side = after ? after_ : before_;
        SidePlace& all = side[{place.what, place.at}];
        place.seconds += all.seconds;
        place.count += all.count;
        all = std::move(place);
    }
    // Returns them with the largest difference first.
    [[nodiscard]] std::vector<Change> take() const {
        const std::vector<SidePlace> before = list_of(before_);
        const std::vector<SidePlace> after = list_of(after_);
        std::vector<Change> list;
        for (const PlacePair& pair : pairs_of(before, after)) {
            Change& change = list.emplace_back();
            change.name = name_in_both(pair);
            if (pair.before != nullptr) {
                change.before_at = pair.before->at;
                change.before_s = pair.before->seconds;
                change.before_count = pair.before->count;
            }
            if (pair.after != nullptr) {
                change.after_at = pair.after->at;
                change.after_s = pair.after->seconds;
                change.after_count = pair.after->count;
            }
        }
        std::ranges::sort(list, [](const Change& a, const Change& b) {
            return std::tuple{-std::abs(a.difference()), a.name} < std::tuple{-std::abs(b.difference()), b.name};
        });
        return list;
    }

  private:
    using Places = std::map<std::pair<std::string, std::string>, SidePlace>; // by what and where
    static std::vector<SidePlace> list_of(const Places& places) {
        std::vector<SidePlace> list;
        for (const auto& [key, place] : places) list.push_back(place);
        return list;
    }
    Places before_;
    Places after_;
};

struct Side {
    Trace trace;
    std::optional<SourceLines> sources{};
    std::optional<Report> report;
    [[nodiscard]] double ranks() const { return static_cast<double>(report->profile.ranks.size()); }
    // Time from MPI_Init to MPI_Finalize, without these two, whose times say little about a program.
    [[nodiscard]] double wall_s() const { return report->waits->wall_s; }
};

class Comparison {
  public:
    Comparison(Side& before, Side& after) : before_{before}, after_{after} {
        take(before, false);
        take(after, true);
    }

    [[nodiscard]] double growth() const { return after_.wall_s() / before_.wall_s() - 1; }

    void print_text(const std::optional<double>& threshold, const std::vector<ScaledRun>& runs) const {
        fmt::print("{}\n{}\n", side_text("A", before_), side_text("B", after_));
        fmt::print("{} ({} -> {}){}\n", speed_text(), duration_text(before_.wall_s()), duration_text(after_.wall_s()),
                   threshold ? fmt::format("; {}: {:+.1f} %, limit {:+.1f} %", growth() <= *threshold ? "ok" : "FAIL",
                                           100 * growth(), 100 * *threshold)
                             : "");
        print_scaling(runs);
        print("Functions", functions_.take(), "calls");
        print("Call places", places_.take(), "calls");
        if (all_waits_)
            print("Waits", waits_.take(), "waits");
        else
            fmt::print("\nWaits\n  not compared: of one trace not all are known\n");
    }

    [[nodiscard]] Object as_json(const std::optional<double>& threshold, Object runs) const {
        Object all = {{"a", side_json(before_)}, {"b", side_json(after_)}, {"growth", growth()}};
        if (threshold) all["within_threshold"] = growth() <= *threshold;
        all["runs"] = std::move(runs);
        all["functions"] = json(functions_.take());
        all["places"] = json(places_.take());
        all["waits"] = all_waits_ ? json(waits_.take()) : Object(nullptr);
        return all;
    }

  private:
    void take(Side& side, bool after) {
        Report& report = *side.report;
        const auto add = [&](Changes& changes, const std::string& what, const Place& place, double seconds,
                             double count) {
            SidePlace own{.what = what, .seconds = seconds / side.ranks(), .count = count / side.ranks()};
            if (place != Place{}) {
                const SourceLine& line = report.lines.find(place);
                own.at = printable(report.lines.text(place));
                own.function = line.function;
                if (line.known()) own.file = file_name(line.file);
                own.line = line.line;
            }
            changes.add(after, std::move(own));
        };
        for (const FunctionProfile& function : report.profile.functions)
            add(functions_, function.name, {}, function.stats.time_s, static_cast<double>(function.stats.calls));
        for (const PlaceProfile& place : report.profile.places)
            add(places_, place.name, place.place, place.stats.time_s, static_cast<double>(place.stats.calls));
        all_waits_ = all_waits_ && report.waits->replayed;
        for (const WaitPlace& place : report.waits->places) {
            double count = 0;
            for (const std::size_t i : place.groups) count += static_cast<double>(report.waits->groups[i].count);
            add(waits_,
                fmt::format("{} in {}", wait_names[static_cast<std::size_t>(place.kind)].name, name_of(place.function)),
                place.place, place.seconds, count);
        }
    }

    // "B is 3.4x faster", "B is 12.0 % slower", "B takes as long as A".
    [[nodiscard]] std::string speed_text() const {
        const double ratio = after_.wall_s() / before_.wall_s();
        constexpr double alike = 0.005;
        if (std::abs(ratio - 1) < alike) return "B takes as long as A";
        const double times = std::max(ratio, 1 / ratio);
        const char* const way = ratio < 1 ? "faster" : "slower";
        constexpr double several = 1.5;
        return times < several ? fmt::format("B is {} {}", percent_text(std::abs(ratio - 1)), way)
                               : fmt::format("B is {:.1f}x {}", times, way);
    }

    static std::string side_text(const char* name, const Side& side) {
        std::string text = fmt::format("{}  {}: {}, wall time {}, {} in MPI", name, printable(side.trace.path),
                                       plural(side.report->profile.ranks.size(), "rank", "ranks"),
                                       duration_text(side.wall_s()), percent_text(side.report->profile.mpi_share()));
        text += fmt::format(", {} waiting", percent_text(side.report->waits->waited_share()));
        const std::string efficiency = efficiency_text(*side.report->waits);
        return efficiency.empty() ? text : text + "\n   efficiency " + efficiency;
    }

    static Object side_json(const Side& side) {
        Object all = {{"trace", side.trace.path},
                      {"ranks", side.report->profile.ranks.size()},
                      {"wall_s", side.wall_s()},
                      {"mpi_share", side.report->profile.mpi_share()},
                      {"efficiency", efficiency_json(side.report->waits)}};
        all["waited_share"] = side.report->waits->waited_share();
        return all;
    }

    static void print(const char* title, const std::vector<Change>& changes, const char* what) {
        constexpr std::size_t most = 20;
        Table table{
            {{"seconds a rank, A"}, {"B"}, {"B - A"}, {fmt::format("{} a rank, A", what)}, {"B"}, {"", Align::left}}};
        for (std::size_t i = 0; i < changes.size() && i < most; ++i) {
            const Change& change = changes[i];
            table.row({fmt::format("{:.6f}", change.before_s), fmt::format("{:.6f}", change.after_s),
                       fmt::format("{:+.6f}", change.difference()), fmt::format("{:.1f}", change.before_count),
                       fmt::format("{:.1f}", change.after_count), change.name});
        }
        fmt::print("\n{} (largest difference first)\n{}", title, table.empty() ? "  none\n" : table.text());
        if (changes.size() > most) fmt::print("  and {} more (--json has all)\n", changes.size() - most);
    }

    static Object json(const std::vector<Change>& changes) {
        Object list = Object::array();
        for (const Change& change : changes)
            list.push_back({{"name", change.name},
                            {"a_at", change.before_at},
                            {"b_at", change.after_at},
                            {"a_s_per_rank", change.before_s},
                            {"b_s_per_rank", change.after_s},
                            {"difference_s_per_rank", change.difference()},
                            {"a_count_per_rank", change.before_count},
                            {"b_count_per_rank", change.after_count}});
        return list;
    }

    const Side& before_;
    const Side& after_;
    Changes functions_;
    Changes places_;
    Changes waits_;
    bool all_waits_ = true;
};

// Opens the trace and makes its report. Returns an exit status.
int open(const std::string& path, Side& side) {
    auto trace = Trace::open(path);
    if (!trace) return fail(trace.error());
    side.trace = std::move(*trace);
    if (!side.trace.problems.empty()) return tell(side.trace.problems);
    side.sources.emplace(side.trace.path);
    side.report.emplace(side.trace, *side.sources, Times::corrected, std::optional<Network>{}, true);
    if (!side.report->profile.unreadable.empty()) return tell(side.report->profile.unreadable);
    if (!side.report->waits)
        return fail(Error{.what = "its waits are not known", .file = path, .advice = "`tactus finish` finds them"});
    if (side.wall_s() <= 0) return fail(Error{.what = "no time passed in it", .file = path});
    return exit_code::fine;
}

} // namespace

int diff(const DiffRequest& request) {
    const bool two = request.traces.size() == 2;
    if (request.threshold && !two) return misused("--threshold compares two traces, and not more");
    std::deque<Side> sides; // their addresses stay
    std::vector<ScaledRun> runs;
    for (const std::string& trace : request.traces) {
        if (!two) sides.clear();
        Side& side = sides.emplace_back();
        if (const int status = open(trace, side); status != exit_code::fine) return status;
        runs.push_back(scaled_run(side.trace.path, *side.report->waits, side.report->profile));
    }
    find_scaling(runs, request.weak);
    if (!two) {
        if (request.json)
            print_json({{"runs", scaling_json(runs)}});
        else
            print_scaling(runs);
        return exit_code::fine;
    }
    const Comparison comparison{sides[0], sides[1]};
    if (request.json)
        print_json(comparison.as_json(request.threshold, scaling_json(runs)));
    else
        comparison.print_text(request.threshold, runs);
    return request.threshold && comparison.growth() > *request.threshold ? exit_code::beyond : exit_code::fine;
}

} // namespace tactus
