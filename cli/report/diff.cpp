// `tactus diff`: shows what changed from one trace to another, in seconds per rank, so that runs with different numbers
// of ranks can be compared.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/report.hpp"
#include "cli/report/waits_json.hpp"
#include "cli/report/waits_text.hpp"
#include "cli/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;
using Align = Table::Align;

// The values of one function, call place or wait in both traces, as means over the ranks.
struct Change {
    std::string name;
    double before_s = 0;
    double after_s = 0;
    double before_count = 0; // calls or waits
    double after_count = 0;
    [[nodiscard]] double difference() const { return after_s - before_s; }
};

// Collects changes by name, and returns them with the largest difference first.
class Changes {
  public:
    void add(const std::string& name, bool after, double seconds, double count, double ranks) {
        Change& change = all_[name];
        change.name = name;
        (after ? change.after_s : change.before_s) += seconds / ranks;
        (after ? change.after_count : change.before_count) += count / ranks;
    }
    [[nodiscard]] std::vector<Change> take() const {
        std::vector<Change> list;
        for (const auto& [name, change] : all_) list.push_back(change);
        std::stable_sort(list.begin(), list.end(), [](const Change& a, const Change& b) {
            return std::abs(a.difference()) > std::abs(b.difference());
        });
        return list;
    }

  private:
    std::map<std::string, Change> all_;
};

struct Side {
    Trace trace;
    SourceLines sources;
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

    void print_text(const std::optional<double>& threshold) const {
        fmt::print("{}\n{}\n", side_text("A", before_), side_text("B", after_));
        fmt::print("B takes {:.3f} times the time of A ({:+.1f} %){}\n", 1 + growth(), 100 * growth(),
                   threshold ? fmt::format(", at most {} more are allowed", percent_text(*threshold)) : "");
        print("Functions", functions_.take(), "calls");
        print("Call places", places_.take(), "calls");
        if (all_waits_)
            print("Waits", waits_.take(), "waits");
        else
            fmt::print("\nWaits\n  not compared: of one trace not all are known\n");
    }

    void print_json(const std::optional<double>& threshold) const {
        Object all = {{"a", side_json(before_)}, {"b", side_json(after_)}, {"growth", growth()}};
        if (threshold) all["within_threshold"] = growth() <= *threshold;
        all["functions"] = json(functions_.take());
        all["places"] = json(places_.take());
        all["waits"] = all_waits_ ? json(waits_.take()) : Object(nullptr);
        fmt::print("{}\n", all.dump(2, ' ', true, Object::error_handler_t::replace));
    }

  private:
    void take(Side& side, bool after) {
        Report& report = *side.report;
        const auto call = [&](const std::string& function, const Place& place) {
            return place == Place{} ? function : function + " at " + printable(report.lines.text(place));
        };
        for (const FunctionProfile& function_profile : report.profile.functions)
            functions_.add(function_profile.name, after, function_profile.stats.time_s,
                           static_cast<double>(function_profile.stats.calls), side.ranks());
        for (const PlaceProfile& place_profile : report.profile.places)
            places_.add(call(place_profile.name, place_profile.place), after, place_profile.stats.time_s,
                        static_cast<double>(place_profile.stats.calls), side.ranks());
        all_waits_ = all_waits_ && report.waits->replayed;
        for (const WaitPlace& wait_place : report.waits->places) {
            double count = 0;
            for (const std::size_t i : wait_place.groups) count += static_cast<double>(report.waits->groups[i].count);
            waits_.add(fmt::format("{} in {}", wait_names[static_cast<std::size_t>(wait_place.kind)].name,
                                   call(name_of(wait_place.function), wait_place.place)),
                       after, wait_place.seconds, count, side.ranks());
        }
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
    side.report.emplace(side.trace, side.sources, Times::corrected, std::optional<Network>{}, true);
    if (!side.report->profile.unreadable.empty()) return tell(side.report->profile.unreadable);
    if (!side.report->waits)
        return fail(Error{.what = "its waits are not known", .file = path, .advice = "`tactus finish` finds them"});
    if (side.wall_s() <= 0) return fail(Error{.what = "no time passed in it", .file = path});
    return exit_code::fine;
}

} // namespace

int diff(const DiffRequest& request) {
    Side before;
    Side after;
    if (const int status = open(request.before, before); status != exit_code::fine) return status;
    if (const int status = open(request.after, after); status != exit_code::fine) return status;
    const Comparison comparison{before, after};
    if (request.json)
        comparison.print_json(request.threshold);
    else
        comparison.print_text(request.threshold);
    return request.threshold && comparison.growth() > *request.threshold ? exit_code::beyond : exit_code::fine;
}

} // namespace tactus
