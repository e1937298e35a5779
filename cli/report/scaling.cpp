#include "cli/report/scaling.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus {

ScaledRun scaled_run(const std::string& trace, const RunWaits& waits) {
    ScaledRun run;
    run.trace = trace;
    run.ranks = waits.ranks.size();
    run.wall_s = waits.wall_s;
    for (const WaitingRank& rank : waits.ranks) run.computed_s += rank.computed_s;
    if (waits.efficiency) run.parallel = waits.efficiency->parallel();
    return run;
}

void find_scaling(std::vector<ScaledRun>& runs, bool weak) {
    if (runs.empty()) return;
    const ScaledRun first = runs.front();
    for (ScaledRun& run : runs) {
        const double more = weak ? share_of(static_cast<double>(run.ranks), static_cast<double>(first.ranks)) : 1;
        run.speedup = share_of(more * first.wall_s, run.wall_s);
        if (run.computed_s > 0) run.computation = more * first.computed_s / run.computed_s;
    }
}

void print_scaling(const std::vector<ScaledRun>& runs) {
    using Align = Table::Align;
    Table table{{{"ranks"},
                 {"wall time"},
                 {"speedup"},
                 {"computed s, all ranks"},
                 {"computation scaling %"},
                 {"parallel efficiency %"},
                 {"global efficiency %"},
                 {"", Align::left}}};
    const auto percent = [](std::optional<double> share) {
        return share ? fmt::format("{:.1f}", 100 * *share) : std::string{"not known"};
    };
    for (const ScaledRun& run : runs)
        table.row({std::to_string(run.ranks), duration_text(run.wall_s), fmt::format("{:.2f}", run.speedup),
                   fmt::format("{:.6f}", run.computed_s), percent(run.computation), percent(run.parallel),
                   percent(run.global()), printable(run.trace)});
    fmt::print("\nScaling (against the first run; global: computation scaling x parallel efficiency)\n{}"
               "  no counters of the processor: why computation takes more or less time is not known\n",
               table.text());
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
                        {"parallel_efficiency", number(run.parallel)},
                        {"global_efficiency", number(run.global())}});
    return list;
}

} // namespace tactus
