#include "cli/report/waits_text.hpp"

#include "base/shell_word.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/counts_text.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/table.hpp"
#include "postproc/waits/alike.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace tactus {

std::string part_text(double share) {
    if (share > 0.95) return "nearly all of it";
    return std::abs(share - 0.5) < 0.02 ? "half of it" : percent_text(share) + " of it";
}

namespace {

constexpr std::size_t most_rows = 20;
constexpr double worth_naming = 0.01; // share of the time of all ranks and threads

const WaitNames& names_of(WaitKind kind) { return wait_names[static_cast<std::size_t>(kind)]; }

std::string call_text(Function function, const Place& place, SourceLines& lines) {
    const std::string name =
        function == Function{} && place == Place{} ? "a call that was not recorded" : name_of(function);
    return place == Place{} ? name : fmt::format("{} at {}", name, printable(lines.text(place)));
}

std::string ranks_text(std::uint64_t count, std::uint32_t rank) {
    return count == 1 ? fmt::format("rank {}", rank) : plural(count, "rank", "ranks");
}

constexpr double most_of_it = 0.5;  // a state that is named in place of "busy"
constexpr double much_of_it = 0.2;  // a state that is named beside it
constexpr double least_known = 0.8; // of the time of a root, for its states to be named
constexpr double many_faults = 1000;
constexpr double seconds_a_major_fault = 1e-4; // or more

constexpr std::string_view asleep = "asleep outside MPI";

// What a rank did before the call that came late: "busy" where that is not known.
std::string_view state_of(const CoreTime& did) {
    const double all_s = did.total_s();
    if (all_s <= 0 || did.off_core_s > (1 - least_known) * all_s) return "busy";
    if (did.asleep_s >= most_of_it * all_s) return asleep;
    if (did.waited_s >= most_of_it * all_s) return "without a core";
    return "computing";
}

// Returns text such as ", 41.2 % of that without a core".
std::string states_text(const WaitRoot& root) {
    const CoreTime& did = root.did;
    const double all_s = did.total_s();
    const std::string_view state = state_of(did);
    std::string text;
    if (state == "busy") return text;
    const auto name = [&](double seconds, std::string_view what) {
        if (seconds >= much_of_it * all_s && state != what)
            text += fmt::format(", {} of that {}", percent_text(seconds / all_s), what);
    };
    const auto faults = [](double count) { return count_text(static_cast<std::uint64_t>(std::min(count, 1e18))); };
    name(did.waited_s, "without a core");
    name(did.asleep_s, asleep);
    if (did.asleep_s >= much_of_it * all_s && seconds_a_major_fault * did.major_faults >= did.asleep_s / 2)
        text += fmt::format(" (the rank had {} page faults that read from a disk)", faults(root.major_faults));
    if (did.system_s >= much_of_it * all_s)
        text += fmt::format(", {} of that in the kernel{}", percent_text(did.system_s / all_s),
                            root.page_faults < many_faults
                                ? std::string{}
                                : fmt::format(" (the rank had {} page faults)", faults(root.page_faults)));
    return text;
}

// `rank`: all ranks where there is none.
std::string root_text(const std::string& who, const WaitRoot& root, std::optional<std::uint32_t> rank,
                      Callers& callers) {
    const std::string_view state = state_of(root.did);
    const bool blocked = state == asleep;
    return fmt::format("{}, {}{} before {}{}{}", who, state, sampled_text(root, blocked, callers.lines()),
                       call_in_function(root.function, root.place, callers, Callers::Time::before, rank),
                       state == "computing" ? counts_text(root) : std::string{}, states_text(root));
}

// Whether several ranks cause about as much each, or many a small part each, so that none of them is the one to look
// at.
bool are_alike(const std::map<std::uint32_t, double>& seconds_of_rank) {
    constexpr double tolerance = 0.2; // of the mean
    double sum = 0;
    for (const auto& [rank, seconds] : seconds_of_rank) sum += seconds;
    const double mean = sum / static_cast<double>(seconds_of_rank.size());
    const auto is_close = [&](const auto& of_rank) { return std::abs(of_rank.second - mean) <= tolerance * mean; };
    const auto is_small = [&](const auto& of_rank) { return of_rank.second < part_that_stands_out * sum; };
    return seconds_of_rank.size() > 1 &&
           (std::ranges::all_of(seconds_of_rank, is_close) || std::ranges::all_of(seconds_of_rank, is_small));
}

// Names ranks that cause about as much each: "4 ranks in turn" where these are all ranks, which then can only wait for
// each other; else "ranks 2 and 3".
std::string ranks_alike(const std::map<std::uint32_t, double>& seconds_of_rank, const RunWaits& waits) {
    constexpr std::size_t most_named = 4;
    const std::size_t count = seconds_of_rank.size();
    if (count == waits.ranks.size()) return fmt::format("{} in turn", plural(count, "rank", "ranks"));
    if (count > most_named) return fmt::format("{} alike", plural(count, "rank", "ranks"));
    std::vector<std::string> names;
    for (const auto& [rank, seconds] : seconds_of_rank) names.push_back(std::to_string(rank));
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("ranks {} and {}", fmt::join(names, ", "), last);
}

// Returns text such as "for rank 1, which sends late (MPI_Send at a.c:7)" or "41.4 % of it for rank 1 of host b, which
// ...".
std::string causers_text(const RunWaits& waits, const WaitPlace& place, Callers& callers) {
    const WaitGroup& most = waits.groups[place.groups.front()];
    std::map<std::uint32_t, double> causers;
    for (const std::size_t i : place.groups) causers[waits.groups[i].causer] += waits.groups[i].seconds;
    if (are_alike(causers))
        return fmt::format("for {} in turn: which of them {} moves from rank to rank",
                           plural(causers.size(), "rank", "ranks"), names_of(most.kind).because);
    const std::string part = place.groups.size() == 1 ? "" : part_text(share_of(most.seconds, place.seconds)) + " ";
    return fmt::format(
        "{}for rank {}{}, which {} ({})", part, most.causer,
        place.host.empty() ? "" : " of host " + printable(place.host), names_of(most.kind).because,
        call_in_function(most.causer_function, most.causer_place, callers, Callers::Time::before, most.causer));
}

// If the rank that caused most of the wait was late because it waited itself, tells for which rank in the end.
std::string chain_text(const RunWaits& waits, const WaitPlace& place, Callers& callers) {
    const WaitGroup& most = waits.groups[place.groups.front()];
    if (!most.root || share_of(most.indirect_s, most.seconds) < 0.5) return {};
    const WaitRoot& root = waits.roots[*most.root];
    return fmt::format("; {} because rank {} waited itself, in the end for {}",
                       part_text(share_of(most.indirect_s, most.seconds)), most.causer,
                       root_text(fmt::format("rank {}", root.rank), root, root.rank, callers));
}

std::vector<std::vector<std::size_t>> rows_of_groups(const RunWaits& waits) {
    return rows_alike(
        waits.groups,
        [](const WaitGroup& group) {
            return std::tie(group.kind, group.victim_function, group.victim_place, group.causer_function,
                            group.causer_place);
        },
        [](const WaitGroup& group) { return group.seconds; });
}
std::vector<std::vector<std::size_t>> rows_of_roots(const RunWaits& waits) {
    return rows_alike(
        waits.roots, [](const WaitRoot& root) { return std::tie(root.function, root.place); },
        [](const WaitRoot& root) { return root.seconds(); });
}

// The rank, or of a row of several ranks their number and how much each of them caused.
std::string causers_of_row(std::size_t count, std::uint32_t rank, double least_s, double most_s) {
    if (count == 1) return ranks_text(1, rank);
    return fmt::format("{}, {} to {} each", plural(count, "rank", "ranks"), duration_text(least_s),
                       duration_text(most_s));
}

void print_more(std::size_t rows) {
    if (rows > most_rows) fmt::print("  and {} more (--json has all)\n", rows - most_rows);
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
    const auto rows = rows_of_groups(waits);
    for (std::size_t row = 0; row < rows.size() && row < most_rows; ++row) {
        const WaitGroup& most = waits.groups[rows[row].front()];
        double seconds = 0;
        double longest_s = 0;
        std::uint64_t count = 0;
        std::vector<bool> is_victim(waits.ranks.empty() ? 0 : waits.ranks.back().rank + 1);
        for (const std::size_t i : rows[row]) {
            const WaitGroup& group = waits.groups[i];
            seconds += group.seconds;
            longest_s = std::max(longest_s, group.longest_s);
            count += group.count;
            for (const std::uint32_t victim : group.victims)
                if (victim < is_victim.size()) is_victim[victim] = true;
        }
        const auto victims = static_cast<std::uint64_t>(std::ranges::count(is_victim, true));
        places.row({names_of(most.kind).name, fmt::format("{:.6f}", seconds),
                    fmt::format("{:.2f}", 100 * share_of(seconds, waits.total_s)), count_text(count),
                    duration_text(longest_s), ranks_text(victims, most.victim),
                    call_text(most.victim_function, most.victim_place, report.lines),
                    causers_of_row(rows[row].size(), most.causer, waits.groups[rows[row].back()].seconds, most.seconds),
                    call_text(most.causer_function, most.causer_place, report.lines)});
    }
    fmt::print("\nWaits (total: the time of all ranks and threads)\n{}", places.empty() ? "  none\n" : places.text());
    print_more(rows.size());
    if (waits.others_s > 0)
        fmt::print("  {} more of very many kinds, of which only the sum was kept\n", duration_text(waits.others_s));
}

void print_roots(Report& report, const RunWaits& waits) {
    if (waits.roots.empty()) return;
    using Align = Table::Align;
    Table roots{{{"who", Align::left},
                 {"busy before", Align::left},
                 {"caused s"},
                 {"% of total"},
                 {"direct s"},
                 {"indirect s"}}};
    const auto rows = rows_of_roots(waits);
    for (std::size_t row = 0; row < rows.size() && row < most_rows; ++row) {
        WaitRoot all = waits.roots[rows[row].front()];
        all.direct_s = all.indirect_s = 0;
        std::set<std::uint32_t> ranks; // a library that was loaded twice has two roots of a rank at one place
        for (const std::size_t i : rows[row]) {
            all.direct_s += waits.roots[i].direct_s;
            all.indirect_s += waits.roots[i].indirect_s;
            ranks.insert(waits.roots[i].rank);
        }
        roots.row({causers_of_row(ranks.size(), all.rank, waits.roots[rows[row].back()].seconds(),
                                  waits.roots[rows[row].front()].seconds()),
                   call_text(all.function, all.place, report.lines), fmt::format("{:.6f}", all.seconds()),
                   fmt::format("{:.2f}", 100 * share_of(all.seconds(), waits.total_s)),
                   fmt::format("{:.6f}", all.direct_s), fmt::format("{:.6f}", all.indirect_s)});
    }
    fmt::print("\nWhere waits come from (indirect: of ranks that waited for others who waited for it)\n{}",
               roots.text());
    print_more(rows.size());
}

void print_ranks(const Report& report, const RunWaits& waits) {
    std::vector<Table::Column> columns{{"rank"}, {"computed s"}, {"waited s"}, {"% of its time"}, {"made wait s"}};
    if (waits.replayed) columns.insert(columns.end(), {{"in the end s"}, {"critical path s"}, {"% of it"}});
    Table ranks{columns};
    std::vector<WaitingRank> shown = waits.ranks;
    std::stable_sort(shown.begin(), shown.end(), [&](const WaitingRank& a, const WaitingRank& b) {
        return waits.replayed ? a.root_s > b.root_s : a.caused_s > b.caused_s;
    });
    for (std::size_t i = 0; i < shown.size() && i < most_rows; ++i) {
        const WaitingRank& rank = shown[i];
        const auto own = std::ranges::lower_bound(report.profile.ranks, rank.rank, {}, &RankProfile::rank);
        const double lived_s = own != report.profile.ranks.end() ? own->threads_s : 0;
        std::vector<std::string> row{
            std::to_string(rank.rank), fmt::format("{:.6f}", rank.computed_s), fmt::format("{:.6f}", rank.waited_s),
            fmt::format("{:.2f}", 100 * share_of(rank.waited_s, lived_s)), fmt::format("{:.6f}", rank.caused_s)};
        if (waits.replayed) {
            row.push_back(fmt::format("{:.6f}", rank.root_s));
            row.push_back(fmt::format("{:.6f}", rank.path_s));
            row.push_back(fmt::format("{:.2f}", 100 * share_of(rank.path_s, waits.path_s)));
        }
        ranks.row(row);
    }
    fmt::print("\nWaits by rank (who made others wait most first)\n{}", ranks.text());
    print_more(shown.size());
    if (!waits.replayed) return;
    double computed = 0;
    for (const WaitingRank& rank : waits.ranks) computed += rank.path_computed_s;
    fmt::print("  the critical path takes {}, {} of it computing, and changes ranks {}\n", duration_text(waits.path_s),
               percent_text(share_of(computed, waits.path_s)), plural(waits.path_changes, "time", "times"));
}

} // namespace

std::string call_in_function(Function function, const Place& place, Callers& callers, Callers::Time time,
                             std::optional<std::uint32_t> rank) {
    const SourceLine& line = callers.lines().find(place);
    const std::string caller = callers.text(place, time, rank);
    // An offset in a library says less than who called it.
    if (!line.known() && !caller.empty()) return std::string{name_of(function)} + caller;
    std::string text = call_text(function, place, callers.lines());
    if (line.known() && !line.function.empty()) text += fmt::format(" in {}", printable(line.function));
    return text + caller;
}

std::string efficiency_text(const RunWaits& waits) {
    if (!waits.efficiency)
        return waits.no_efficiency.empty() ? std::string{} : fmt::format("not known: {}", waits.no_efficiency);
    const Efficiency& efficiency = *waits.efficiency;
    return fmt::format("{} parallel: load balance {}, serialization {}, transfer {}",
                       percent_text(efficiency.parallel()), percent_text(efficiency.load_balance),
                       percent_text(efficiency.serialization), percent_text(efficiency.transfer));
}

namespace {

// Where most time went when it is not in waits: "application 87.0 %, MPI_Init 8.2 %".
std::string most_time_text(const Profile& profile) {
    double application_s = 0;
    for (const RankProfile& rank : profile.ranks) application_s += rank.other_s();
    std::vector<std::pair<double, std::string>> parts = {{application_s, "application"}};
    for (const FunctionProfile& function : profile.functions) parts.emplace_back(function.stats.time_s, function.name);
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < parts.size() && i < most; ++i) {
        const double share = share_of(parts[i].first, profile.total_s);
        if (share >= worth_naming)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", parts[i].second, percent_text(share));
    }
    return text;
}

} // namespace

bool has_loss(const RunWaits& waits) {
    return !waits.places.empty() && share_of(waits.places.front().seconds, waits.total_s) >= worth_naming;
}

namespace {

// If ranks waited for messages while they could have worked on those of others, says so.
std::string order_text(const RunWaits& waits, Callers& callers) {
    constexpr double worth_it = 0.05; // of the run
    const WaitPlace& place = *std::ranges::max_element(waits.places, {}, &WaitPlace::fixed_order_s);
    const double share = share_of(place.fixed_order_s, static_cast<double>(place.victims) * waits.wall_s);
    if (share < worth_it) return {};
    const bool one = place.victims == 1;
    return fmt::format(
        "; {} {} messages in a fixed order ({}): for up to {} of the run{} {} could have worked on those "
        "of other ranks, which had been sent by then",
        ranks_text(place.victims, place.victim), one ? "receives" : "receive",
        call_in_function(place.function, place.place, callers, Callers::Time::inside), percent_text(share),
        one ? "" : ", on average,", one ? "it" : "they");
}

} // namespace

std::string largest_loss_text(const RunWaits& waits, const Profile& profile, Callers& callers) {
    if (!has_loss(waits))
        return fmt::format("no waiting above {}; most time: {}", percent_text(worth_naming), most_time_text(profile));
    const WaitPlace& place = waits.places.front();
    return fmt::format("{} of time ({}) lost waiting in {} on {}, {}{}{}",
                       percent_text(share_of(place.seconds, waits.total_s)), duration_text(place.seconds),
                       call_in_function(place.function, place.place, callers, Callers::Time::inside),
                       ranks_text(place.victims, place.victim), causers_text(waits, place, callers),
                       chain_text(waits, place, callers), order_text(waits, callers));
}

std::string largest_root_text(const RunWaits& waits, Callers& callers) {
    if (waits.roots.empty()) return {};
    const std::vector<std::size_t> row = rows_of_roots(waits).front();
    WaitRoot root = waits.roots[row.front()];
    const auto function_of = [&](const WaitRoot& of) {
        return late_function(of, state_of(of.did) == asleep, callers.lines());
    };
    const std::string function = function_of(root);
    constexpr std::size_t most_looked_at = 64; // for functions
    // What other ranks caused: those of the row, or, if one rank stands out, all before the same call or in the same
    // function, which may have caused as much.
    const bool stands_out = row.size() == 1;
    std::map<std::uint32_t, double> seconds_of_rank;
    WaitRoot all{.function = root.function, .place = root.place};
    for (std::size_t i = 0; i < waits.roots.size(); ++i) {
        const WaitRoot& other = waits.roots[i];
        const auto is_like_it = [&] {
            return (other.function == root.function && other.place == root.place) ||
                   (!function.empty() && i < most_looked_at && function_of(other) == function);
        };
        if (stands_out ? !is_like_it() : !std::ranges::binary_search(row, i)) continue;
        seconds_of_rank[other.rank] += other.seconds();
        all.direct_s += other.direct_s;
        all.indirect_s += other.indirect_s;
        all.did += other.did;
        all.peers_did += other.peers_did;
        all.sampled.insert(all.sampled.end(), other.sampled.begin(), other.sampled.end());
        all.peers.insert(all.peers.end(), other.peers.begin(), other.peers.end());
    }
    const bool alike = !stands_out || are_alike(seconds_of_rank);
    if (alike) root = all;
    if (share_of(root.seconds(), waits.total_s) < worth_naming) return {};
    const double indirect = share_of(root.indirect_s, root.seconds());
    const std::string who = alike ? ranks_alike(seconds_of_rank, waits) : fmt::format("rank {}", root.rank);
    return fmt::format("{}: {} of time ({}) lost because of that{}",
                       root_text(who, root, alike ? std::nullopt : std::optional{root.rank}, callers),
                       percent_text(share_of(root.seconds(), waits.total_s)), duration_text(root.seconds()),
                       indirect < worth_naming
                           ? std::string{}
                           : fmt::format(", {} indirectly, through other ranks", part_text(indirect)));
}

void print_waits(Report& report) {
    if (!report.waits) {
        fmt::print("\nWaits\n  not known: `tactus finish {}` finds them\n", shell_word(report.trace.path));
        return;
    }
    print_places(report, *report.waits);
    print_roots(report, *report.waits);
    print_ranks(report, *report.waits);
    if (report.waits->network_s)
        fmt::print("\nNetwork\n  on the one asked about the run would take {} instead of {}\n",
                   duration_text(*report.waits->network_s), duration_text(report.waits->wall_s));
}

} // namespace tactus
