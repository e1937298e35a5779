#include "cli/report/scaling.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

constexpr std::array factors_counted = {&ComputationScaling::instructions, &ComputationScaling::ipc,
                                        &ComputationScaling::frequency};

} // namespace

ScaledRun scaled_run(const std::string& trace, const RunWaits& waits, const Profile& profile) {
    ScaledRun run;
    run.trace = trace;
    run.ranks = waits.ranks.size();
    run.wall_s = waits.wall_s;
    for (const WaitingRank& rank : waits.ranks) run.computed_s += rank.computed_s;
    if (waits.efficiency) run.parallel = waits.efficiency->parallel();
    if (std::ranges::all_of(profile.ranks, [](const RankProfile& rank) { return rank.use.outside.counted(); }))
        for (const RankProfile& rank : profile.ranks) run.counts += rank.use.outside.counts;
    return run;
}

void find_scaling(std::vector<ScaledRun>& runs, bool weak) {
    if (runs.empty()) return;
    const ScaledRun first = runs.front();
    for (ScaledRun& run : runs) {
        const double more = weak ? share_of(static_cast<double>(run.ranks), static_cast<double>(first.ranks)) : 1;
        run.speedup = share_of(more * first.wall_s, run.wall_s);
        if (run.computed_s > 0) run.computation = more * first.computed_s / run.computed_s;
        if (first.counts.known() && run.counts.known()) run.factors = scaling_of(first.counts.times(more), run.counts);
    }
}

void print_scaling(const std::vector<ScaledRun>& runs) {
    // The first one has factors if it was counted itself.
    const bool counted = std::ranges::count_if(runs, [](const ScaledRun& run) { return run.factors.has_value(); }) > 1;
    std::vector<Table::Column> columns{
        {"ranks"}, {"wall time"}, {"speedup"}, {"computed s, all ranks"}, {"computation scaling %"}};
    if (counted) columns.insert(columns.end(), {{"instructions %"}, {"IPC %"}, {"frequency %"}});
    columns.insert(columns.end(), {{"parallel efficiency %"}, {"global efficiency %"}, {"", Table::Align::left}});
    Table table{columns};
    const auto percent = [](std::optional<double> share) {
        return share ? fmt::format("{:.1f}", 100 * *share) : std::string{"not known"};
    };
    for (const ScaledRun& run : runs) {
        std::vector<std::string> row{std::to_string(run.ranks), duration_text(run.wall_s),
                                     fmt::format("{:.2f}", run.speedup), fmt::format("{:.6f}", run.computed_s),
                                     percent(run.computation)};
        for (const auto which : factors_counted)
            if (counted) row.push_back(percent(run.factor(which)));
        row.insert(row.end(), {percent(run.parallel), percent(run.global()), printable(run.trace)});
        table.row(row);
    }
    fmt::print("\nScaling (against the first run; global: computation scaling x parallel efficiency)\n{}",
               table.text());
    if (counted)
        fmt::print(
            "  instructions x IPC (instructions a cycle) x frequency: the scaling of the time on a core outside of "
            "the kernel, by what the processor counted\n");
    else if (const auto lacks = std::ranges::find_if(runs, [](const ScaledRun& run) { return !run.counts.known(); });
             lacks != runs.end())
        fmt::print(
            "  {} has no counters of the processor (VT_COUNTER) of all ranks: why computation takes more or less "
            "time is not known\n",
            printable(lacks->trace));
}

nlohmann::ordered_json scaling_json(const std::vector<ScaledRun>& runs) {
    using Object = nlohmann::ordered_json;
    const auto number = [](std::optional<double> share) { return share ? Object(*share) : Object(nullptr); };
    Object list = Object::array();
    for (const ScaledRun& run : runs)
        list.push_back({{"trace", run.trace},
                        {"ranks", run.ranks},
                        {"wall_s", run.wall_s},
                        {"speedup", run.speedup},
                        {"computed_s", run.computed_s},
                        {"computation_scaling", number(run.computation)},
                        {"instruction_scaling", number(run.factor(&ComputationScaling::instructions))},
                        {"ipc_scaling", number(run.factor(&ComputationScaling::ipc))},
                        {"frequency_scaling", number(run.factor(&ComputationScaling::frequency))},
                        {"parallel_efficiency", number(run.parallel)},
                        {"global_efficiency", number(run.global())}});
    return list;
}

} // namespace tactus
