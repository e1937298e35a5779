// The report as JSON. The names of keys stay from version to version; new keys may be added.
#include "cli/report/counts_text.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/report.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/report/time_parts.hpp"

#include "cli/report/nccl_text.hpp"
#include "cli/report/waits_json.hpp"
#include "cli/trace_facts.hpp"
#include "postproc/replay/event.hpp"
#include "trace/shapes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

void put_stats(Object& object, const CallStats& stats) {
    object["calls"] = stats.calls;
    object["failed"] = stats.failed;
    object["time_s"] = stats.time_s;
    object["min_s"] = stats.calls == 0 ? 0 : stats.min_s;
    object["avg_s"] = stats.avg_s();
    object["max_s"] = stats.max_s;
    object["sent_bytes"] = stats.sent_bytes;
    object["received_bytes"] = stats.received_bytes;
    object["bytes"] = stats.bytes();
}

Object functions_of(const Profile& profile) {
    Object list = Object::array();
    for (const FunctionProfile& function : profile.functions) {
        Object& row = list.emplace_back(Object{{"name", function.name}});
        put_stats(row, function.stats);
    }
    return list;
}

Object places_of(Report& report) {
    Object list = Object::array();
    for (const PlaceProfile& place : report.profile.places) {
        const SourceLine& line = report.lines.find(place.place);
        Object& row = list.emplace_back(Object{{"function", place.name},
                                               {"text", report.lines.text(place.place)},
                                               {"caller", line.function},
                                               {"file", line.file},
                                               {"line", line.line},
                                               {"module", place.place.module},
                                               {"offset", place.place.offset}});
        put_stats(row, place.stats);
    }
    return list;
}

Object ranks_of(const Profile& profile) {
    Object list = Object::array();
    for (const RankProfile& rank : profile.ranks) {
        Object& row = list.emplace_back(Object{{"rank", rank.rank},
                                               {"host", rank.host},
                                               {"threads", rank.lanes},
                                               {"wall_s", rank.wall_s},
                                               {"mpi_s", rank.mpi.time_s},
                                               {"other_s", rank.other_s()},
                                               {"mpi_share", rank.mpi_share()}});
        put_stats(row, rank.mpi);
        row["counts"] = counts_json(rank.use.outside.counts);
    }
    return list;
}

Object messages_of(const Profile& profile) {
    Object list = Object::array();
    for (const Traffic& pair : profile.messages)
        list.push_back({{"from", pair.from}, {"to", pair.to}, {"messages", pair.messages}, {"bytes", pair.bytes}});
    return list;
}

Object balance_json(const Balance& balance) {
    return {{"mean_s", balance.mean_s},
            {"max_s", balance.max_s},
            {"max_rank", balance.max_rank},
            {"ratio", balance.ratio()}};
}

Object collectives_of(const Profile& profile) {
    Object list = Object::array();
    for (const CollectiveProfile& collective : profile.collectives) {
        Object& row = list.emplace_back(Object{{"name", collective.name}});
        put_stats(row, collective.stats);
        row["balance"] = balance_json(collective.time);
    }
    return list;
}

Object regions_of(const Profile& profile) {
    Object list = Object::array();
    for (const RegionProfile& region : profile.regions)
        list.push_back({{"name", region.name},
                        {"scope", region.scope},
                        {"count", region.count},
                        {"unfinished", region.unfinished},
                        {"time_s", region.time_s},
                        {"own_s", region.own_s},
                        {"mpi_s", region.mpi_s},
                        {"min_s", region.count == 0 ? 0 : region.min_s},
                        {"avg_s", region.avg_s()},
                        {"max_s", region.max_s}});
    return list;
}

Object counters_of(const Profile& profile) {
    Object list = Object::array();
    for (const CounterProfile& counter : profile.counters)
        list.push_back({{"name", counter.name},
                        {"unit", counter.unit},
                        {"values", counter.values},
                        {"min", counter.min},
                        {"mean", counter.mean()},
                        {"max", counter.max}});
    return list;
}

Object pair_json(const TimePair& pair) {
    return {{"measured_s", pair.measured_s}, {"compensated_s", pair.compensated_s}};
}

Object compensated_json(const CompensatedRun& run) {
    Object all = {{"wall", pair_json(run.wall)},     {"mpi", pair_json(run.mpi)},
                  {"messages", run.counts.messages}, {"collectives", run.counts.collectives},
                  {"unknown", run.unknown},          {"spans", run.spans},
                  {"clamped", run.clamped},          {"clamped_s", run.clamped_s}};
    all["ranks"] = Object::array();
    for (const CompensatedRank& rank : run.ranks)
        all["ranks"].push_back({{"rank", rank.rank}, {"wall", pair_json(rank.wall)}, {"mpi", pair_json(rank.mpi)}});
    all["functions"] = Object::array();
    for (const CompensatedFunction& function : run.functions)
        all["functions"].push_back({{"name", name_of(function.function)}, {"time", pair_json(function.time)}});
    return all;
}

Object clock_json(const Trace& trace) {
    const ClockQuality* const quality = clock_quality(trace);
    if (quality == nullptr) return nullptr;
    Object clock = {{"reversed",
                     {{"raw", quality->reversed_raw},
                      {"fitted", quality->reversed_fitted},
                      {"refined", quality->reversed_refined},
                      {"corrected", quality->reversed_corrected}}},
                    {"messages", quality->messages},
                    {"collective_calls", quality->collectives},
                    {"max_move_ns", to_ns(quality->largest_move)},
                    {"passes", quality->passes},
                    {"moved", quality->jumps},
                    {"largest_jump_ns", to_ns(quality->largest_jump)},
                    {"changed_share", changed_share(*quality)},
                    {"steepest_slope", quality->steepest},
                    {"gamma", 1 - quality->decay},
                    {"in_circles", quality->released}};
    clock["unmatched"] = Object::object();
    clock["unmatched_collectives"] = Object::object();
    for (std::size_t i = 0; i < quality->unmatched.size() && i < 2 * unmatched_count; ++i)
        clock[i < unmatched_count ? "unmatched" : "unmatched_collectives"][unmatched_names[i % unmatched_count]] =
            quality->unmatched[i];
    return clock;
}

// Single values about the whole run.
Object head_json(const Report& report) {
    const Profile& profile = report.profile;
    const Header& header = report.trace.ranks.front().header();
    return {{"trace", report.trace.path},
            {"program", header.program},
            {"mpi", header.mpi},
            {"ranks_in_run", header.ranks},
            {"finished", report.trace.finished()},
            {"fit", fit_names[static_cast<std::size_t>(report.trace.ranks.front().clock().fitted.fit)]},
            {"wall_s", profile.wall_s},
            {"total_s", profile.total_s},
            {"mpi_s", profile.all.time_s},
            {"mpi_share", profile.mpi_share()},
            {"calls", profile.all.calls},
            {"failed", profile.all.failed},
            {"balance", {{"mpi", balance_json(profile.mpi)}, {"other", balance_json(profile.other)}}}};
}

Object call_paths_json(Report& report) {
    Object list = Object::array();
    for (const ShownPath& path : report.callers.paths()) {
        Object callers = Object::array();
        for (const Place& caller : path.callers)
            callers.push_back(
                {{"function", report.lines.find(caller).function}, {"text", report.lines.caller_text(caller)}});
        list.push_back({{"function", report.lines.find(path.place).function},
                        {"text", report.lines.text(path.place)},
                        {"callers", std::move(callers)},
                        {"complete", path.complete},
                        {"samples", path.inside.samples},
                        {"inside_s", path.inside.seconds}});
    }
    return list;
}

Object sampled_functions_json(Report& report) {
    Object list = Object::array();
    for (const SampledFunction& function : sampled_functions(report))
        list.push_back({{"function", function.name},
                        {"text", function.place},
                        {"samples_on_core", function.on_core},
                        {"samples_blocked", function.blocked}});
    return list;
}

Object time_json(const TimeParts& parts) {
    Object all = {{"total_s", parts.total_s}};
    for (std::size_t i = 0; i < time_part_keys.size(); ++i) all[time_part_keys[i]] = parts.seconds[i];
    return all;
}

Object cores_json(const CoreUse& cores) {
    auto hosts = Object::array();
    for (const HostCores& host : cores.hosts) {
        auto shared = Object::array();
        for (const SharedCore& core : host.shared) shared.push_back({{"core", core.core}, {"ranks", core.ranks}});
        hosts.push_back({{"host", host.host},
                         {"ranks", host.ranks},
                         {"others_s", host.others_s ? Object(*host.others_s) : Object(nullptr)},
                         {"swapped_in_pages", host.swapped_in ? Object(*host.swapped_in) : Object(nullptr)},
                         {"busy_threads", host.busy_threads},
                         {"cores", host.cores},
                         {"core_limit", host.core_limit},
                         {"oversubscribed", host.oversubscribed()},
                         {"ran_s", host.ran_s},
                         {"without_core_s", host.waited_s},
                         {"throttled_s", host.throttled_s},
                         {"shared", shared}});
    }
    return {{"hosts", hosts}, {"without_core_share", cores.waited_share()}, {"unknown_ranks", cores.unknown}};
}

} // namespace

nlohmann::ordered_json report_json(Report& report) {
    const Profile& profile = report.profile;
    Object all = head_json(report);
    if (report.window) all["window"] = {{"from_s", report.window->from_s}, {"to_s", report.window->to_s}};
    if (!report.window) {
        const ReportSentences sentences = sentences_of(report);
        all["sentences"] = {{"finding", sentences.finding},   {"time", sentences.time},
                            {"cores", sentences.cores},       {"memory", sentences.memory},
                            {"threads", sentences.threads},   {"efficiency", sentences.efficiency},
                            {"loss", sentences.loss},         {"root", sentences.root},
                            {"not_known", sentences.missing}, {"clock", sentences.clock}};
    }
    if (report.waits && report.has_mpi()) all["time"] = time_json(time_parts(report));
    if (!report.window) all["cores"] = cores_json(report.cores);
    put_waits(all, report);
    all["functions"] = functions_of(profile);
    all["places"] = places_of(report);
    all["ranks"] = ranks_of(profile);
    all["messages"] = messages_of(profile);
    all["messages_outside_world"] = profile.unplaced;
    all["collectives"] = collectives_of(profile);
    if (report.nccl) all["nccl"] = nccl_json(*report.nccl);
    all["sampled_functions"] = sampled_functions_json(report);
    all["call_paths"] = call_paths_json(report);
    all["regions"] = regions_of(profile);
    all["counters"] = counters_of(profile);
    all["comments"] = profile.comments;
    if (report.compensated) all["compensated"] = compensated_json(*report.compensated);
    if (report.noted) {
        const ReceivesByBasis by = receives_by_basis(report.trace);
        all["compensated_noted"] = compensated_json(*report.noted);
        all["compensated_noted"]["receives"] = {{"clocks", by[0]}, {"wait", by[1]}, {"nothing", by[2]}};
    }
    all["clock"] = clock_json(report.trace);
    all["losses"] = Object::object();
    for (const LossCount& loss : report.losses) all["losses"][loss.name] = loss.count;
    all["problems"] = report.problems();
    if (std::string spawned = spawned_text(report); !spawned.empty()) all["spawned"] = std::move(spawned);
    all["untrusted_files"] = report.lines.untrusted();
    return all;
}

} // namespace tactus
