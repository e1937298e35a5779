#include "cli/report/waits_json.hpp"

#include "cli/report/counts_text.hpp"
#include "cli/report/samples_text.hpp"
#include "trace/sample.hpp"
#include "trace/shapes.hpp"

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

Object call_json(Function function, const Place& place, SourceLines& lines) {
    return {{"function", name_of(function)}, {"text", lines.text(place)}};
}

Object root_json(const WaitRoot& root, SourceLines& lines) {
    return {{"rank", root.rank}, {"before", call_json(root.function, root.place, lines)}};
}

Object groups_json(const RunWaits& waits, SourceLines& lines) {
    Object list = Object::array();
    for (const WaitGroup& group : waits.groups) {
        Object& row =
            list.emplace_back(Object{{"kind", wait_names[static_cast<std::size_t>(group.kind)].key},
                                     {"seconds", group.seconds},
                                     {"count", group.count},
                                     {"longest_s", group.longest_s},
                                     {"victim", group.victim},
                                     {"victims", group.victims.size()},
                                     {"causer", group.causer},
                                     {"place", call_json(group.victim_function, group.victim_place, lines)},
                                     {"causer_place", call_json(group.causer_function, group.causer_place, lines)}});
        if (!waits.replayed) continue;
        row["indirect_s"] = group.indirect_s;
        row["root"] = group.root ? root_json(waits.roots[*group.root], lines) : Object(nullptr);
    }
    return list;
}

Object places_json(const RunWaits& waits, SourceLines& lines) {
    Object list = Object::array();
    for (const WaitPlace& place : waits.places)
        list.push_back({{"kind", wait_names[static_cast<std::size_t>(place.kind)].key},
                        {"seconds", place.seconds},
                        {"victim", place.victim},
                        {"victims", place.victims},
                        {"causer", waits.groups[place.groups.front()].causer},
                        {"causers", place.causers},
                        {"host", place.host},
                        {"fixed_order_s", place.fixed_order_s},
                        {"place", call_json(place.function, place.place, lines)}});
    return list;
}

// null if nothing is known.
Object core_time_json(const CoreTime& time) {
    if (time.total_s() <= 0) return nullptr;
    return {{"on_core_s", time.ran_s},       {"without_core_s", time.waited_s}, {"asleep_s", time.asleep_s},
            {"off_core_s", time.off_core_s}, {"in_kernel_s", time.system_s},    {"counts", counts_json(time.counts)}};
}

Object sampled_json(const std::vector<RootSample>& samples, SourceLines& lines) {
    Object list = Object::array();
    for (const RootSample& sample : samples) {
        const SampledPlace& what = sample.what;
        Object& row = list.emplace_back(Object{{"function", lines.find(what.place).function},
                                               {"text", what.place == Place{} ? "" : lines.caller_text(what.place)},
                                               {"seconds", sample.seconds},
                                               {"samples", sample.samples}});
        if (!sampled::is_on_core(what.call))
            row["blocked_in"] = what.call < 0 ? "no system call" : system_call_name(what.call);
        if (std::string called = called_name(what, lines); !called.empty()) row["called"] = std::move(called);
        if (!what.file.empty()) row["file"] = what.file;
    }
    return list;
}

Object roots_json(const RunWaits& waits, SourceLines& lines) {
    Object list = Object::array();
    for (const WaitRoot& root : waits.roots) {
        Object& row = list.emplace_back(root_json(root, lines));
        row["seconds"] = root.seconds();
        row["direct_s"] = root.direct_s;
        row["indirect_s"] = root.indirect_s;
        row["did"] = core_time_json(root.did);
        row["peers_did"] = core_time_json(root.peers_did);
        row["sampled"] = sampled_json(root.sampled, lines);
        row["peers_sampled"] = sampled_json(root.peers, lines);
    }
    return list;
}

Object ranks_json(const RunWaits& waits) {
    Object list = Object::array();
    for (const WaitingRank& rank : waits.ranks) {
        Object& row = list.emplace_back(Object{{"rank", rank.rank},
                                               {"seconds", rank.seconds},
                                               {"computed_s", rank.computed_s},
                                               {"waited_s", rank.waited_s},
                                               {"caused_s", rank.caused_s}});
        if (!waits.replayed) continue;
        row["root_s"] = rank.root_s;
        row["critical_path_s"] = rank.path_s;
        row["critical_path_computed_s"] = rank.path_computed_s;
    }
    return list;
}

} // namespace

Object efficiency_json(const std::optional<RunWaits>& waits) {
    if (!waits || !waits->efficiency) return nullptr;
    const Efficiency& efficiency = *waits->efficiency;
    return {{"parallel", efficiency.parallel()},
            {"load_balance", efficiency.load_balance},
            {"serialisation", efficiency.serialization},
            {"transfer", efficiency.transfer}};
}

void put_waits(Object& all, Report& report) {
    if (!report.waits) return;
    const RunWaits& waits = *report.waits;
    all["efficiency"] = efficiency_json(report.waits);
    if (!waits.no_efficiency.empty()) all["efficiency_unknown"] = waits.no_efficiency;
    all["waits"] = groups_json(waits, report.lines);
    all["wait_places"] = places_json(waits, report.lines);
    all["waiting_ranks"] = ranks_json(waits);
    all["waits_total_s"] = waits.total_s;
    all["waited_s"] = waits.waited_s;
    if (waits.replayed) {
        all["wait_roots"] = roots_json(waits, report.lines);
        all["critical_path"] = {{"seconds", waits.path_s}, {"changes", waits.path_changes}};
    }
    if (waits.network_s) all["network"] = {{"seconds", *waits.network_s}, {"measured_s", waits.wall_s}};
}

} // namespace tactus
