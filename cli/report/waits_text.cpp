#include "cli/report/waits_text.hpp"

#include "base/shell_word.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr std::size_t most_rows = 20;
constexpr double worth_naming = 0.01; // share of the ranks' time

const WaitNames& names_of(WaitKind kind) { return wait_names[static_cast<std::size_t>(kind)]; }

std::string call_text(Function function, const Place& place, SourceLines& lines) {
    const std::string name =
        function == Function{} && place == Place{} ? "a call that was not recorded" : name_of(function);
    return place == Place{} ? name : fmt::format("{} at {}", name, printable(lines.text(place)));
}

std::string ranks_text(std::uint64_t count, std::uint32_t rank) {
    return count == 1 ? fmt::format("rank {}", rank) : plural(count, "rank", "ranks");
}

// Returns text such as "rank 1, which sends late (MPI_Send at a.c:7)" or "2 ranks of host b, the longest (60.0 %) for
// rank 3, which ...".
std::string causers_text(const RunWaits& waits, const WaitPlace& place, SourceLines& lines) {
    const WaitGroup& most = waits.groups[place.groups.front()];
    const std::string where = place.host.empty() ? "" : fmt::format(" of host {}", printable(place.host));
    const std::string why = fmt::format("which {} ({})", names_of(most.kind).because,
                                        call_text(most.causer_function, most.causer_place, lines));
    if (place.groups.size() == 1) return fmt::format("rank {}{}, {}", most.causer, where, why);
    return fmt::format("{}{}, the longest ({}) for rank {}, {}", ranks_text(place.causers, most.causer), where,
                       percent_text(share_of(most.seconds, place.seconds)), most.causer, why);
}

std::string root_text(const WaitRoot& root, SourceLines& lines) {
    return fmt::format("rank {}, busy before {}", root.rank, call_text(root.function, root.place, lines));
}

// If the rank that caused most of the wait was late because it waited itself, tells for which rank in the end.
std::string chain_text(const RunWaits& waits, const WaitPlace& place, SourceLines& lines) {
    const WaitGroup& most = waits.groups[place.groups.front()];
    if (!most.root || share_of(most.indirect_s, most.seconds) < 0.5) return {};
    return fmt::format("; {} of that because rank {} waited itself, in the end for {}",
                       percent_text(share_of(most.indirect_s, most.seconds)), most.causer,
                       root_text(waits.roots[*most.root], lines));
}

void print_places(Report& report, const RunWaits& waits) {
    using Align = Table::Align;
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
        places.row({names_of(group.kind).name, fmt::format("{:.6f}", group.seconds),
                    fmt::format("{:.2f}", 100 * share_of(group.seconds, waits.total_s)), count_text(group.count),
                    duration_text(group.longest_s), ranks_text(group.victims, group.victim),
                    call_text(group.victim_function, group.victim_place, report.lines),
                    fmt::format("rank {}", group.causer),
                    call_text(group.causer_function, group.causer_place, report.lines)});
    }
    fmt::print("\nWaits (total: the time of all ranks until the last came to MPI_Finalize)\n{}",
               places.empty() ? "  none\n" : places.text());
    if (waits.groups.size() > most_rows)
        fmt::print("  and {} more (--json has all)\n", waits.groups.size() - most_rows);
    if (waits.others_s > 0)
        fmt::print("  {} more of very many kinds, of which only the sum was kept\n", duration_text(waits.others_s));
}

void print_roots(Report& report, const RunWaits& waits) {
    if (waits.roots.empty()) return;
    using Align = Table::Align;
    Table roots{{{"rank"}, {"busy before", Align::left}, {"waits s"}, {"% of total"}, {"for it s"}, {"further on s"}}};
    for (std::size_t i = 0; i < waits.roots.size() && i < most_rows; ++i) {
        const WaitRoot& root = waits.roots[i];
        roots.row({std::to_string(root.rank), call_text(root.function, root.place, report.lines),
                   fmt::format("{:.6f}", root.seconds()),
                   fmt::format("{:.2f}", 100 * share_of(root.seconds(), waits.total_s)),
                   fmt::format("{:.6f}", root.direct_s), fmt::format("{:.6f}", root.indirect_s)});
    }
    fmt::print("\nWhere waits come from (further on: of ranks that waited for others who waited for it)\n{}",
               roots.text());
    if (waits.roots.size() > most_rows) fmt::print("  and {} more (--json has all)\n", waits.roots.size() - most_rows);
}

void print_ranks(const RunWaits& waits) {
    std::vector<Table::Column> columns{{"rank"}, {"computed s"}, {"waited s"}, {"% of its time"}, {"made wait s"}};
    if (waits.replayed) columns.insert(columns.end(), {{"in the end s"}, {"critical path s"}, {"% of it"}});
    Table ranks{columns};
    std::vector<WaitingRank> shown = waits.ranks;
    std::stable_sort(shown.begin(), shown.end(), [&](const WaitingRank& a, const WaitingRank& b) {
        return waits.replayed ? a.root_s > b.root_s : a.caused_s > b.caused_s;
    });
    for (std::size_t i = 0; i < shown.size() && i < most_rows; ++i) {
        const WaitingRank& rank = shown[i];
        std::vector<std::string> row{
            std::to_string(rank.rank), fmt::format("{:.6f}", rank.computed_s), fmt::format("{:.6f}", rank.waited_s),
            fmt::format("{:.2f}", 100 * share_of(rank.waited_s, rank.seconds)), fmt::format("{:.6f}", rank.caused_s)};
        if (waits.replayed) {
            row.push_back(fmt::format("{:.6f}", rank.root_s));
            row.push_back(fmt::format("{:.6f}", rank.path_s));
            row.push_back(fmt::format("{:.2f}", 100 * share_of(rank.path_s, waits.path_s)));
        }
        ranks.row(row);
    }
    fmt::print("\nWaits by rank (who made others wait most first)\n{}", ranks.text());
    if (shown.size() > most_rows) fmt::print("  and {} more (--json has all)\n", shown.size() - most_rows);
    if (!waits.replayed) return;
    double computed = 0;
    for (const WaitingRank& rank : waits.ranks) computed += rank.path_computed_s;
    fmt::print("  the critical path takes {}, {} of it computing, and changes ranks {}\n", duration_text(waits.path_s),
               percent_text(share_of(computed, waits.path_s)), plural(waits.path_changes, "time", "times"));
}

} // namespace

std::string efficiency_text(const RunWaits& waits) {
    if (!waits.efficiency)
        return waits.no_efficiency.empty() ? std::string{} : fmt::format("not known: {}", waits.no_efficiency);
    const Efficiency& efficiency = *waits.efficiency;
    return fmt::format("{} parallel: load balance {}, serialization {}, transfer {}",
                       percent_text(efficiency.parallel()), percent_text(efficiency.load_balance),
                       percent_text(efficiency.serialization), percent_text(efficiency.transfer));
}

std::string largest_loss_text(const RunWaits& waits, SourceLines& lines) {
    if (waits.places.empty() || share_of(waits.places.front().seconds, waits.total_s) < worth_naming)
        return fmt::format("no wait takes {} of the ranks' time", percent_text(worth_naming));
    const WaitPlace& place = waits.places.front();
    return fmt::format("{} of the ranks' time ({}): {} {} in {} for {}{}",
                       percent_text(share_of(place.seconds, waits.total_s)), duration_text(place.seconds),
                       ranks_text(place.victims, place.victim), place.victims == 1 ? "waits" : "wait",
                       call_text(place.function, place.place, lines), causers_text(waits, place, lines),
                       chain_text(waits, place, lines));
}

std::string largest_root_text(const RunWaits& waits, SourceLines& lines) {
    if (waits.roots.empty() || share_of(waits.roots.front().seconds(), waits.total_s) < worth_naming) return {};
    const WaitRoot& root = waits.roots.front();
    const double further = share_of(root.indirect_s, root.seconds());
    return fmt::format("{}: {} of the ranks' time ({}) is waiting because of that{}", root_text(root, lines),
                       percent_text(share_of(root.seconds(), waits.total_s)), duration_text(root.seconds()),
                       further < worth_naming ? std::string{}
                                              : fmt::format(", {} of it for others who waited", percent_text(further)));
}

void print_waits(Report& report) {
    if (!report.waits) {
        fmt::print("\nWaits\n  not known: `tactus finish {}` finds them\n", shell_word(report.trace.path));
        return;
    }
    print_places(report, *report.waits);
    print_roots(report, *report.waits);
    print_ranks(*report.waits);
    if (report.waits->network_s)
        fmt::print("\nNetwork\n  on the one asked about the run would take {} instead of {}\n",
                   duration_text(*report.waits->network_s), duration_text(report.waits->wall_s));
}

} // namespace tactus
