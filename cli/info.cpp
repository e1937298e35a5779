// `tactus info`: says what a trace is, how large and how complete it is, without reading its records.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/manifest.hpp"
#include "cli/messages.hpp"
#include "cli/trace_facts.hpp"
#include "postproc/profile/losses.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "trace/processor_counters.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

double bytes_per_call(const Volume& volume) {
    return volume.calls == 0 ? 0 : static_cast<double>(volume.bytes) / static_cast<double>(volume.calls);
}

// What the manifest tells about a trace: one word for `manifest` in the output, and problems.
struct ManifestState {
    const char* word = "agrees";
    std::vector<Error> problems;
};

ManifestState state_of_manifest(const Trace& trace) {
    const auto manifest = read_manifest(trace.path);
    if (!manifest) return {"unreadable", {manifest.error()}};
    if (!*manifest) return {"none", {}};
    std::vector<Error> problems = contradictions(**manifest, trace);
    return {problems.empty() ? "agrees" : "contradicts", std::move(problems)};
}

// Of all ranks together; the memory is that of the rank with most.
Sampling sampling_of(const Trace& trace) {
    Sampling all;
    for (const RankFile& file : trace.ranks)
        for (const Sampling& own : file.definitions().sampling) {
            all.period_ns = own.period_ns;
            all.threads += own.threads;
            if (own.refused != 0) all.refused = own.refused;
            all.samples += own.samples;
            all.lost += own.lost;
            all.blocked += own.blocked;
            all.incomplete += own.incomplete;
            all.calls += own.calls;
            all.calls_lost += own.calls_lost;
            all.memory = std::max(all.memory, own.memory);
            all.python = std::max(all.python, own.python);
        }
    return all;
}

nlohmann::ordered_json sampling_json(const Sampling& all) {
    return {{"period_s", 1e-9 * static_cast<double>(all.period_ns)},
            {"threads", all.threads},
            {"refused", all.refused != 0 ? error_text(all.refused) : ""},
            {"on_core", all.samples},
            {"lost", all.lost},
            {"blocked", all.blocked},
            {"incomplete", all.incomplete},
            {"calls", all.calls},
            {"calls_lost", all.calls_lost},
            {"memory_bytes", all.memory}};
}

// A counter of the processor on all ranks.
struct CounterOfRanks {
    ProcessorCounter any;    // refused: by some rank; counted: the least
    std::size_t refused = 0; // ranks
};

std::vector<CounterOfRanks> counters_of(const Trace& trace) {
    std::vector<CounterOfRanks> all;
    for (const RankFile& file : trace.ranks)
        for (const ProcessorCounter& own : processor_counters(file.definitions())) {
            auto known = std::ranges::find_if(all, [&](const CounterOfRanks& of) { return of.any.name == own.name; });
            if (known == all.end()) known = all.insert(known, {.any = {.name = own.name}});
            if (own.refused != 0) known->any.refused = own.refused, ++known->refused;
            if (own.refused == 0) known->any.counted = std::min(known->any.counted, own.counted);
        }
    return all;
}

nlohmann::ordered_json counters_json(const std::vector<CounterOfRanks>& counters) {
    auto list = nlohmann::ordered_json::array();
    for (const CounterOfRanks& counter : counters)
        list.push_back({{"name", counter.any.name},
                        {"refused", counter.refused > 0 ? error_text(counter.any.refused) : ""},
                        {"refused_ranks", counter.refused},
                        {"counted_share", static_cast<double>(counter.any.counted) / 1000}});
    return list;
}

std::string counters_text(const std::vector<CounterOfRanks>& counters) {
    std::string text;
    for (const CounterOfRanks& counter : counters) {
        text += (text.empty() ? "" : ", ") + printable(counter.any.name);
        if (counter.refused > 0)
            text += fmt::format(" (refused on {}: {})", plural(counter.refused, "rank", "ranks"),
                                error_text(counter.any.refused));
        if (counter.any.counted < 1000)
            text += fmt::format(" (on some rank for {} of the time, the rest is estimated)",
                                percent_text(static_cast<double>(counter.any.counted) / 1000));
    }
    return text;
}

void print_facts(const Trace& trace, const char* manifest) {
    const Header& header = trace.ranks.front().header();
    const Volume volume = volume_of(trace);
    const CallOverhead overhead = call_overhead(trace);
    const TracerCost cost = tracer_cost(trace);
    const DefinedNames names = names_defined_in(trace);
    auto losses = nlohmann::ordered_json::object();
    for (const LossCount& loss : count_losses(trace)) losses[loss.name] = loss.count;
    auto options = nlohmann::ordered_json::array();
    for (const OptionValue& option : header.options)
        options.push_back({{"name", "VT_" + option.name}, {"value", option.value}, {"origin", option.origin}});
    const nlohmann::ordered_json facts = {{"trace", trace.path},
                                          {"program", header.program},
                                          {"mpi", header.mpi},
                                          {"tactus", header.tactus},
                                          {"started", utc_text(trace.first_realtime_ns())},
                                          {"ranks", header.ranks},
                                          {"rank_files", trace.ranks.size()},
                                          {"threads", volume.lanes},
                                          {"hosts", hosts_of(trace)},
                                          {"timer", name_of(header.timer)},
                                          {"wall_s", wall_seconds(trace)},
                                          {"calls", volume.calls},
                                          {"records", volume.records},
                                          {"bytes", volume.bytes},
                                          {"bytes_per_call", bytes_per_call(volume)},
                                          {"overhead_ns_per_call", overhead.mean_ns},
                                          {"overhead_ns_per_call_min", overhead.min_ns},
                                          {"overhead_ns_per_call_max", overhead.max_ns},
                                          {"sealing_s", cost.sealing_s},
                                          {"stalled_s", cost.stalled_s},
                                          {"reading_s", cost.reading_s},
                                          {"writing_s", cost.writing_s},
                                          {"starting_s", cost.starting_s},
                                          {"finishing_s", cost.finishing_s},
                                          {"measuring_s", cost.measuring_s},
                                          {"sampling", sampling_json(sampling_of(trace))},
                                          {"processor_counters", counters_json(counters_of(trace))},
                                          {"symbols", names.symbols},
                                          {"counters", names.counters},
                                          {"options", options},
                                          {"losses", losses},
                                          {"endings", endings_of(trace)},
                                          {"finished", trace.finished()},
                                          {"manifest", manifest},
                                          {"problems", problem_lines(trace.problems)}};
    print_json(facts);
}

std::string hosts_text(const Trace& trace) {
    constexpr std::size_t most = 8;
    std::vector<std::string> hosts = hosts_of(trace);
    const std::size_t count = hosts.size();
    if (count > most) {
        hosts.resize(most);
        hosts.emplace_back("...");
    }
    return fmt::format("{} ({})", plural(count, "host", "hosts"), fmt::join(hosts, ", "));
}

std::string endings_text(const Trace& trace) {
    std::string text;
    for (const auto& [name, ranks] : endings_of(trace))
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, plural(ranks, "rank", "ranks"));
    return text;
}

std::string sampling_text(const Sampling& all) {
    const std::string calls = fmt::format("{} of calls", count_text(all.calls)) +
                              (all.calls_lost > 0 ? fmt::format(" ({} lost)", count_text(all.calls_lost)) : "");
    if (all.period_ns == 0)
        return all.calls + all.calls_lost > 0 ? calls : "none were asked for, or the trace was not closed";
    const std::uint64_t taken = all.samples + all.blocked;
    std::string text = fmt::format("{}, {} of threads on a core", calls, count_text(all.samples));
    if (all.refused != 0) text += fmt::format(" (the kernel refused some or all threads: {})", error_text(all.refused));
    text += fmt::format(", {} of blocked threads", count_text(all.blocked));
    if (all.lost > 0) text += fmt::format("; {} lost", count_text(all.lost));
    if (taken > 0)
        text +=
            fmt::format("; all callers are known of {}",
                        percent_text(1 - share_of(static_cast<double>(all.incomplete), static_cast<double>(taken))));
    if (all.memory > 0) text += fmt::format("; up to {} of memory a rank", bytes_text(all.memory));
    return text;
}

void print_losses(const Trace& trace) {
    bool any = false;
    for (const LossCount& loss : count_losses(trace)) {
        if (loss.count == 0) continue;
        fmt::print("{:<10}{} {}: {}\n", any ? "" : "losses", count_text(loss.count), loss.name, loss.meaning);
        any = true;
    }
    if (!any) fmt::print("{:<10}none\n", "losses");
}

std::string finished_text(const Trace& trace, std::string_view manifest) {
    if (!trace.finished()) return "no: not every rank is here and closed in order";
    if (manifest == "none") return "each rank by itself: without a manifest, not every rank reached the end together";
    return "yes";
}

// The options that somebody set, each with its value and who set it.
void print_options(const Header& header) {
    const char* title = "options";
    for (const OptionValue& option : header.options) {
        if (option.origin == "default") continue;
        fmt::print("{:<10}VT_{}={} ({})\n", title, option.name, printable(option.value), printable(option.origin));
        title = "";
    }
    if (*title != '\0') fmt::print("{:<10}all at their defaults\n", title);
}

void print_text(const Trace& trace, const char* manifest) {
    const Header& header = trace.ranks.front().header();
    const Volume volume = volume_of(trace);
    const CallOverhead overhead = call_overhead(trace);
    const auto line = [](const char* name, const std::string& value) { fmt::print("{:<10}{}\n", name, value); };
    line("trace", printable(trace.path));
    line("program", printable(header.program));
    line("MPI", printable(header.mpi));
    line("started", utc_text(trace.first_realtime_ns()));
    line("ranks", fmt::format("{} on {}, {}", count_text(header.ranks), hosts_text(trace),
                              plural(volume.lanes, "thread", "threads")));
    line("wall time", duration_text(wall_seconds(trace)));
    line("calls", fmt::format("{} in {}", count_text(volume.calls), plural(volume.records, "record", "records")));
    line("bytes", fmt::format("{}, {:.1f} bytes a call", bytes_text(volume.bytes), bytes_per_call(volume)));
    line("overhead", fmt::format("{:.1f} ns a call ({:.1f} to {:.1f} over the ranks)", overhead.mean_ns,
                                 overhead.min_ns, overhead.max_ns));
    const DefinedNames names = names_defined_in(trace);
    if (names.symbols + names.counters > 0)
        line("VT.h", fmt::format("{}, {}", plural(names.symbols, "symbol", "symbols"),
                                 plural(names.counters, "counter", "counters")));
    line("samples", sampling_text(sampling_of(trace)));
    if (const std::string counted = counters_text(counters_of(trace)); !counted.empty()) line("counted", counted);
    line("ended", endings_text(trace));
    line("finished", finished_text(trace, manifest));
    print_options(header);
    print_losses(trace);
    const char* title = "problems";
    for (const std::string& problem : problem_lines(trace.problems)) {
        line(title, problem);
        title = "";
    }
}

} // namespace

int info(const InfoRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    const ManifestState manifest = state_of_manifest(*trace);
    trace->problems.insert(trace->problems.end(), manifest.problems.begin(), manifest.problems.end());
    if (request.json) {
        print_facts(*trace, manifest.word);
        return tell(trace->problems);
    }
    print_text(*trace, manifest.word);
    return trace->problems.empty() ? exit_code::fine : exit_code::fault;
}

} // namespace tactus
