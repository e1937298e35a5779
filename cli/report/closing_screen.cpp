#include "cli/report/closing_screen.hpp"

#include "base/shell_word.hpp"
#include "cli/format.hpp"
#include "cli/kept_names.hpp"
#include "cli/messages.hpp"
#include "cli/report/finding.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/nccl_text.hpp"
#include "cli/report/report.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/report/time_parts.hpp"
#include "cli/report/waits_text.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_facts.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "trace/run_ends.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr std::size_t costliest = 3;   // functions
constexpr std::size_t most_lines = 12; // of the screen, wrapped to the terminal

// Whether standard error is a terminal with colors, and the user has not switched them off (https://no-color.org).
bool has_colors() {
    const char* unwanted = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    if (unwanted != nullptr && *unwanted != 0) return false;
    return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string{terminal} != "dumb";
}

// A line of the screen, which may be wrapped into several. Lines with a number are left out, the highest number first,
// until the screen is short enough. `tactus report` and `tactus info` have what is left out.
struct ScreenLine {
    const char* name;
    std::string text;
    std::size_t spare = 0;
    bool warns = false;
};

// The name, and beside it the text, wrapped to the terminal.
std::string lines_of(const ScreenLine& line) {
    constexpr std::size_t indent = 13;
    const std::string wrapped_text = wrapped(line.text, terminal_width(STDERR_FILENO), indent);
    return fmt::format("  {:<11}{}", line.name, wrapped_text.empty() ? "\n" : wrapped_text.substr(indent));
}

void leave_out(std::vector<ScreenLine>& lines, std::size_t most) {
    const auto height = [&] {
        std::ptrdiff_t all = 0;
        for (const ScreenLine& line : lines) all += std::ranges::count(lines_of(line), '\n');
        return static_cast<std::size_t>(all);
    };
    while (height() > most) {
        const auto last = std::ranges::max_element(lines, {}, &ScreenLine::spare);
        if (last->spare == 0) return;
        lines.erase(last);
    }
}

void print(const std::string& title, const std::vector<ScreenLine>& lines) {
    const bool colors = has_colors();
    const char* const bold = colors ? "\x1b[1m" : "";
    const char* const red = colors ? "\x1b[31m" : "";
    const char* const plain = colors ? "\x1b[0m" : "";
    const std::string head = wrapped(title, terminal_width(STDERR_FILENO));
    fmt::print(stderr, "{}{}{}", bold, head, plain);
    for (const ScreenLine& line : lines)
        fmt::print(stderr, "{}{}{}", line.warns ? red : "", lines_of(line), line.warns ? plain : "");
}

// "60 144, 41.3 MB sent; 35.2 % of time in MPI: MPI_Allreduce 20.1 %, MPI_Send 9.2 %".
std::string calls_text(const Report& report) {
    const Profile& profile = report.profile;
    std::string text = fmt::format("{}, {} sent; {} of time in MPI", count_text(profile.all.calls),
                                   bytes_text(profile.all.sent_bytes), percent_text(profile.mpi_share()));
    for (std::size_t i = 0; i < profile.functions.size() && i < costliest; ++i) {
        const FunctionProfile& f = profile.functions[i];
        const double share = share_of(f.stats.time_s, profile.total_s);
        if (share >= 0.001) text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", f.name, percent_text(share));
    }
    return text;
}

// The share of all time that tracing took, and what took most of it. `tactus info` has all parts.
std::string overhead_text(const Report& report) {
    const TracerCost cost = tracer_cost(report.trace);
    const std::pair<double, const char*> parts[] = {{cost.recording_s, "recording calls"},
                                                    {cost.sealing_s, "compressing"},
                                                    {cost.stalled_s, "waiting for the disk"},
                                                    {cost.reading_s, "reading what the system counts"},
                                                    {cost.writing_s, "writing"},
                                                    {cost.measuring_s, "measuring clocks"},
                                                    {cost.starting_s, "start-up"},
                                                    {cost.finishing_s, "the end"}};
    const auto* const most = std::max_element(std::begin(parts), std::end(parts));
    return fmt::format("{} of time, most of it {}", percent_text(share_of(cost.total_s(), report.profile.total_s)),
                       most->second);
}

// How ranks ended that did not come to MPI_Finalize: "before MPI_Finalize, signal: 2 ranks".
std::string ended_text(const Trace& trace) {
    const std::map<std::string, std::size_t> endings = endings_of(trace);
    std::string text;
    for (const auto& [name, ranks] : endings) {
        if (name == ending_names[static_cast<std::size_t>(Ending::finalize)]) continue;
        text +=
            text.empty() ? fmt::format("before {}, ", name_of(end_of_run(trace.ranks.front().definitions()))) : "; ";
        text += fmt::format("{}: {}", name, plural(ranks, "rank", "ranks"));
    }
    return text;
}

std::string losses_text(const Report& report) {
    std::string text;
    for (const LossCount& loss : report.losses)
        if (loss.count > 0)
            text +=
                fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", count_text(loss.count), loss.name, loss.meaning);
    return text;
}

std::string problems_text(const Report& report) {
    const std::vector<std::string> problems = report.problems();
    if (problems.empty()) return {};
    return problems.front() + (problems.size() > 1
                                   ? fmt::format(" (and {} more: `tactus info` lists them)", problems.size() - 1)
                                   : std::string{});
}

std::vector<ScreenLine> lines_about(Report& report) {
    std::vector<ScreenLine> lines = {{.name = "ended", .text = ended_text(report.trace), .warns = true}};
    if (report.waits && report.has_mpi()) {
        const std::string finding = finding_text(report);
        const std::string loss = largest_loss_text(*report.waits, report.profile, report.callers);
        const std::string cores = cores_text(report.cores);
        lines.push_back({.name = "finding", .text = finding});
        if (has_loss(*report.waits) && finding.find(loss) == std::string::npos)
            lines.push_back({.name = "waiting", .text = loss, .spare = 1});
        lines.push_back({.name = "cause", .text = largest_root_text(*report.waits, report.callers)});
        if (finding.find(cores) == std::string::npos) lines.push_back({.name = "cores", .text = cores});
        lines.push_back({.name = "memory", .text = memory_text(report)});
        if (const std::string locks = lock_text(report); finding != locks)
            lines.push_back({.name = "threads", .text = locks});
        lines.push_back({.name = "time", .text = time_text(time_parts(report))});
        lines.push_back({.name = "efficiency", .text = efficiency_text(*report.waits), .spare = 3});
    }
    if (report.nccl) lines.push_back({.name = "NCCL", .text = nccl_line(*report.nccl)});
    if (report.has_mpi()) lines.push_back({.name = "calls", .text = calls_text(report), .spare = 2});
    lines.push_back({.name = "clock", .text = clock_text(report.trace), .spare = 5});
    lines.push_back({.name = "overhead", .text = overhead_text(report), .spare = 4});
    lines.push_back({.name = "dropped", .text = losses_text(report), .warns = true});
    lines.push_back({.name = "spawned", .text = spawned_text(report)});
    lines.push_back({.name = "problem", .text = problems_text(report), .warns = true});
    // For a run that was killed, the most important question is which calls its ranks were in.
    const std::string path = shell_word(report.trace.path);
    lines.push_back(
        {.name = "next", .text = fmt::format("tactus {} {}", report.trace.finished() ? "view" : "where", path)});
    lines.push_back({.name = "in full", .text = "tactus report " + path});
    std::erase_if(lines, [](const ScreenLine& line) { return line.text.empty(); });
    return lines;
}

void show(Report& report) {
    const Header& header = report.trace.ranks.front().header();
    const std::string title = fmt::format("tactus: {} on {}, {}, {}", printable(file_name(header.program)),
                                          plural(header.ranks, "rank", "ranks"), duration_text(report.profile.wall_s),
                                          hosts_and_cores_text(report));
    std::vector<ScreenLine> lines = lines_about(report);
    leave_out(lines, most_lines - 1);
    print(title, lines);
}

} // namespace

void show_closing_screen(const std::string& path) {
    // The screen shows the path as the user would write it: relative, if that is shorter.
    const std::string near = std::filesystem::path{path}.lexically_proximate(std::filesystem::current_path()).string();
    const auto trace = Trace::open(near.size() < path.size() ? near : path);
    if (!trace) {
        fail(trace.error());
        return;
    }
    SourceLines sources{trace->path};
    Report report{*trace, sources, Times::corrected, {}, true};
    keep_names(trace->path, report.profile, sources);
    show(report);
}

} // namespace tactus
