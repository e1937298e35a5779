// `tactus report`: shows the profile of a trace as text, as HTML or as JSON.
#include "cli/report/report.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/finding.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/missing_text.hpp"
#include "cli/report/report_html.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/report/time_parts.hpp"
#include "cli/report/waits_text.hpp"
#include "cli/trace_facts.hpp"
#include "cli/viewer/served_trace.hpp"
#include "clocksync/trace_clocks.hpp"
#include "postproc/lod/rank_index.hpp"
#include "postproc/profile/finalize_waits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace tactus {

namespace {

// Adds to the times of a run what its ranks waited in MPI_Finalize for the last one. Without the tracer they would have
// waited about as long.
void add(const std::vector<FinalizeWait>& waits, const Trace& trace, CompensatedRun& run) {
    const auto add_to = [](TimePair& time, double seconds) {
        time.measured_s += seconds;
        time.compensated_s += seconds;
    };
    double all_s = 0;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        const double waited_s = trace.ranks[i].seconds(waits[i].end - waits[i].begin);
        const auto rank = std::ranges::lower_bound(run.ranks, trace.ranks[i].header().rank, {}, &CompensatedRank::rank);
        if (rank == run.ranks.end() || rank->rank != trace.ranks[i].header().rank) continue;
        add_to(rank->wall, waited_s);
        add_to(rank->mpi, waited_s);
        all_s += waited_s;
        run.wall.measured_s = std::max(run.wall.measured_s, rank->wall.measured_s);
        run.wall.compensated_s = std::max(run.wall.compensated_s, rank->wall.compensated_s);
    }
    add_to(run.mpi, all_s);
    for (CompensatedFunction& function : run.functions)
        if (!waits.empty() && function.function == waits.front().function) add_to(function.time, all_s);
    std::ranges::stable_sort(run.functions, std::greater{}, [](const auto& f) { return f.time.measured_s; });
}

} // namespace

void take_base(RunWaits& waits, const Profile& profile) { waits.total_s = profile.total_s; }

Report::Report(const Trace& of, SourceLines& sources, std::optional<Times> times, const std::optional<Network>& network,
               bool finished_clocks)
    : trace{of}, profile{make_profile(of)}, losses{count_losses(of)}, cores{core_use(of)}, lines{sources},
      callers{profile, sources}, as_finished{finished_clocks} {
    if (has_nccl(of)) nccl = summarize_nccl(of);
    waits = waits_of(of, {.wanted = finished_clocks, .network = network, .profile = &profile});
    if (waits) take_base(*waits, profile);
    if (times.value_or(Times::compensated) != Times::compensated) return;
    if (finished_clocks) compensated = stored_compensation(of, run_identity(of));
    if (!compensated) {
        auto computed = compensated_run(of, DelaySource::computed);
        if (!computed) {
            not_computed = computed.error();
            return;
        }
        compensated = std::move(*computed);
    }
    const std::vector<FinalizeWait> at_the_end = finalize_waits(of);
    add(at_the_end, of, *compensated);
    if (compensated->counts.notes == 0) return;
    if (auto by_notes = compensated_run(of, DelaySource::noted)) noted = std::move(*by_notes);
    if (noted) add(at_the_end, of, *noted);
}

Report::Report(const Trace& of, SourceLines& sources, const Window& part, bool finished_clocks)
    : trace{of}, profile{make_profile(of, part)}, losses{count_losses(of)}, cores{core_use(of)}, lines{sources},
      callers{profile, sources}, as_finished{finished_clocks}, window{window_shown(of, part)} {
    if (has_nccl(of)) nccl = summarize_nccl(of, part);
}

std::vector<std::string> Report::problems() const {
    std::vector<std::string> all = problem_lines(trace.problems);
    const std::vector<std::string> blocks = problem_lines(profile.unreadable);
    all.insert(all.end(), blocks.begin(), blocks.end());
    if (not_computed) all.push_back(not_computed->line());
    return all;
}

ReportSentences sentences_of(Report& report) {
    ReportSentences sentences;
    sentences.clock = clock_text(report.trace);
    sentences.cores = cores_text(report.cores);
    sentences.memory = memory_text(report);
    if (!report.waits || !report.has_mpi()) return sentences;
    sentences.missing = missing_text(report);
    sentences.efficiency = efficiency_text(*report.waits);
    sentences.finding = finding_text(report);
    sentences.threads = lock_text(report);
    sentences.time = time_text(time_parts(report));
    sentences.loss = largest_loss_text(*report.waits, report.profile, report.callers);
    sentences.root = largest_root_text(*report.waits, report.callers);
    return sentences;
}

std::string spawned_text(const Report& report) {
    for (const FunctionProfile& f : report.profile.functions) {
        const bool spawns = f.function == Function::Comm_spawn || f.function == Function::Comm_spawn_multiple;
        if (spawns && f.stats.calls > 0)
            return f.name +
                   " was called: the processes that it started are not in this trace. They have a trace of "
                   "their own if the launcher gave them LD_PRELOAD (its option -x or -genv; with Open MPI 5, set "
                   "it for the launcher itself)";
    }
    return {};
}

namespace {

// Returns a drawing with the clocks that the trace stores.
Result<std::string> svg_of(const std::string& path, const Window& part) {
    auto trace = Trace::open(path);
    if (!trace) return trace.error();
    return timeline_svg(TimedTrace{std::move(*trace), Times::corrected}, part);
}

// `part` is the part of the run that `report` is about.
Outcome write_html(const ReportRequest& request, Report& report, const Window& part) {
    if (!can_draw()) fmt::print(stderr, "tactus: built without cairo, so the page has no time line\n");
    const auto svg = request.fit || !can_draw() ? Result<std::string>{std::string{}} : svg_of(request.trace, part);
    if (!svg) return svg.error();
    std::string title =
        fmt::format("{}: {}", file_name(request.trace), file_name(report.trace.ranks.front().header().program));
    if (report.window) title += fmt::format(", {:.6f} s to {:.6f} s", report.window->from_s, report.window->to_s);
    // json_text() replaces invalid UTF-8, so the JSON is parsed from its text.
    const auto json = nlohmann::ordered_json::parse(json_text(report_json(report)));
    return write_file(request.html, report_html({json, printable(title), *svg}));
}

int print(Report&& report, const ReportRequest& request, const Window& part = {}) {
    std::vector<Error> problems = report.trace.problems;
    problems.insert(problems.end(), report.profile.unreadable.begin(), report.profile.unreadable.end());
    if (report.not_computed) problems.push_back(*report.not_computed);
    if (!request.html.empty()) {
        const Outcome written = write_html(request, report, part);
        if (!written) problems.push_back(written.error());
        return tell(problems);
    }
    if (request.json) {
        print_json(report_json(report));
        return tell(problems);
    }
    print_report_text(report);
    return problems.empty() ? exit_code::fine : exit_code::fault;
}

int report_window(const ReportRequest& request, const Trace& trace) {
    if (request.latency_s || request.bandwidth || request.times == Times::compensated)
        return misused("--latency, --bandwidth and --time compensated ask about the whole run, not about a part of it");
    Window window;
    if (request.from_s) window.from = time_at(trace, *request.from_s);
    if (request.to_s) window.to = time_at(trace, *request.to_s);
    if (const WindowShown all = window_shown(trace, window); all.to_s <= all.from_s) return misused(nothing_between);
    SourceLines sources{trace.path};
    return print(Report{trace, sources, window, !request.fit}, request, window);
}

} // namespace

int report(const ReportRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    put_on_one_clock(*trace, request.fit);
    if (request.from_s || request.to_s) return report_window(request, *trace);
    std::optional<Network> network;
    if (request.latency_s || request.bandwidth)
        network = {.latency_s = request.latency_s.value_or(0),
                   .seconds_per_byte = request.bandwidth ? 1 / *request.bandwidth : 0};
    if (network && request.fit)
        return misused("--latency and --bandwidth ask about the clocks that the trace has, not about another fit");
    SourceLines sources{trace->path};
    return print(Report{*trace, sources, request.times, network, !request.fit}, request);
}

} // namespace tactus
