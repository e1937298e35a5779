#include "cli/waits_text.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr std::size_t most_rows = 20;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

const WaitNames& names_of(const WaitGroup& group) { return wait_names[static_cast<std::size_t>(group.kind)]; }

std::string call_text(Function function, const Place& place, SourceLines& lines) {
    const std::string name =
        function == Function{} && place == Place{} ? "a call that was not recorded" : name_of(function);
    return place == Place{} ? name : fmt::format("{} at {}", name, printable(lines.text(place)));
}

std::string victims_text(const WaitGroup& group) {
    return group.victims == 1 ? fmt::format("rank {} waits", group.victim)
                              : fmt::format("{} wait", plural(group.victims, "rank", "ranks"));
}

} // namespace

std::string efficiency_text(const RunWaits& waits) {
    if (!waits.efficiency) return {};
    const Efficiency& one = *waits.efficiency;
    return fmt::format("{} parallel: load balance {}, serialisation {}, transfer {}", percent_text(one.parallel()),
                       percent_text(one.load_balance), percent_text(one.serialisation), percent_text(one.transfer));
}

std::string largest_loss_text(const RunWaits& waits, SourceLines& lines) {
    constexpr double worth_naming = 0.01;
    if (waits.groups.empty() || share(waits.groups.front().seconds, waits.total_s) < worth_naming)
        return fmt::format("no wait takes {} of the ranks' time", percent_text(worth_naming));
    const WaitGroup& group = waits.groups.front();
    return fmt::format("{} of the ranks' time ({}): {} in {} for rank {}, which {} ({})",
                       percent_text(share(group.seconds, waits.total_s)), duration_text(group.seconds),
                       victims_text(group), call_text(group.victim_function, group.victim_place, lines), group.causer,
                       names_of(group).because, call_text(group.causer_function, group.causer_place, lines));
}

void print_waits(Report& report) {
    using Align = Table::Align;
    if (!report.waits) {
        fmt::print("\nWaits\n  not known: `tactus finish {}` finds them\n", printable(report.trace.path));
        return;
    }
    const RunWaits& waits = *report.waits;
    Table places{{{"wait", Align::left},
                  {"seconds"},
                  {"% of total"},
                  {"count"},
                  {"longest"},
                  {"who", Align::left},
                  {"in", Align::left},
                  {"for", Align::left},
                  {"in", Align::left}}};
    for (std::size_t i = 0; i < waits.groups.size() && i < most_rows; ++i) {
        const WaitGroup& group = waits.groups[i];
        places.row({names_of(group).name, fmt::format("{:.6f}", group.seconds),
                    fmt::format("{:.2f}", 100 * share(group.seconds, waits.total_s)), count_text(group.count),
                    duration_text(group.longest_s),
                    group.victims == 1 ? fmt::format("rank {}", group.victim) : plural(group.victims, "rank", "ranks"),
                    call_text(group.victim_function, group.victim_place, report.lines),
                    fmt::format("rank {}", group.causer),
                    call_text(group.causer_function, group.causer_place, report.lines)});
    }
    fmt::print("\nWaits (total: the time of all ranks between MPI_Init and MPI_Finalize)\n{}",
               places.empty() ? "  none\n" : places.text());
    if (waits.groups.size() > most_rows)
        fmt::print("  and {} more (--json has all)\n", waits.groups.size() - most_rows);
    if (waits.others_s > 0)
        fmt::print("  {} more of very many kinds, of which only the sum was kept\n", duration_text(waits.others_s));
    Table ranks{{{"rank"}, {"computed s"}, {"waited s"}, {"% of its time"}, {"made others wait s"}}};
    std::vector<WaitingRank> shown = waits.ranks;
    std::stable_sort(shown.begin(), shown.end(),
                     [](const WaitingRank& a, const WaitingRank& b) { return a.caused_s > b.caused_s; });
    for (std::size_t i = 0; i < shown.size() && i < most_rows; ++i) {
        const WaitingRank& rank = shown[i];
        ranks.row(
            {std::to_string(rank.rank), fmt::format("{:.6f}", rank.computed_s), fmt::format("{:.6f}", rank.waited_s),
             fmt::format("{:.2f}", 100 * share(rank.waited_s, rank.seconds)), fmt::format("{:.6f}", rank.caused_s)});
    }
    fmt::print("\nWaits by rank (who made others wait most first)\n{}", ranks.text());
}

} // namespace tactus
