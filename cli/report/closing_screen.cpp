#include "cli/report/closing_screen.hpp"

#include "base/shell_word.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/nccl_text.hpp"
#include "cli/report/report.hpp"
#include "cli/report/waits_text.hpp"
#include "cli/table.hpp"
#include "postproc/profile/tracer_cost.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr std::size_t costliest = 5;

// Whether standard error is a terminal with colors, and the user has not switched them off (https://no-color.org).
bool has_colors() {
    const char* unwanted = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    if (unwanted != nullptr && *unwanted != 0) return false;
    return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string{terminal} != "dumb";
}

class Screen {
  public:
    Screen()
        : bold_{has_colors() ? "\x1b[1m" : ""}, red_{has_colors() ? "\x1b[31m" : ""}, plain_{has_colors() ? "\x1b[0m"
                                                                                                          : ""} {}

    void title(const std::string& text) const { fmt::print(stderr, "{}{}{}\n", bold_, text, plain_); }
    void warning(const std::string& text) const { fmt::print(stderr, "{}{}{}\n", red_, text, plain_); }
    void line(const char* name, const std::string& text) const { fmt::print(stderr, "  {:<11}{}\n", name, text); }

  private:
    const char* bold_;
    const char* red_;
    const char* plain_;
};

// Returns the call place where the function spent most time. Places are sorted by time.
std::string costliest_place(Report& report, Function function) {
    const auto& places = report.profile.places;
    const auto found =
        std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.function == function; });
    if (found == places.end()) return {};
    return printable(report.lines.text(found->place));
}

std::string functions_table(Report& report) {
    const Profile& profile = report.profile;
    Table table{{{"function", Table::Align::left},
                 {"calls"},
                 {"time"},
                 {"share"},
                 {"bytes"},
                 {"mostly called at", Table::Align::left}}};
    for (std::size_t i = 0; i < profile.functions.size() && i < costliest; ++i) {
        const FunctionProfile& f = profile.functions[i];
        const double share = profile.total_s > 0 ? f.stats.time_s / profile.total_s : 0;
        table.row({f.name, count_text(f.stats.calls), duration_text(f.stats.time_s), percent_text(share),
                   bytes_text(f.stats.bytes()), costliest_place(report, f.function)});
    }
    return table.text();
}

std::string overhead_text(const Report& report) {
    const TracerCost cost = tracer_cost(report.trace);
    const double share = report.profile.total_s > 0 ? cost.total_s() / report.profile.total_s : 0;
    return fmt::format("{} on all ranks ({}): calls {} ({:.0f} ns each), sealing {}, waiting {}, writing {}, clocks "
                       "{}, start {}, end {}",
                       duration_text(cost.total_s()), percent_text(share), duration_text(cost.recording_s),
                       call_overhead(report.trace).mean_ns, duration_text(cost.sealing_s),
                       duration_text(cost.stalled_s), duration_text(cost.writing_s), duration_text(cost.measuring_s),
                       duration_text(cost.starting_s), duration_text(cost.finishing_s));
}

std::string losses_text(const Report& report) {
    std::string text;
    for (const LossCount& loss : report.losses)
        if (loss.count > 0)
            text +=
                fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", count_text(loss.count), loss.name, loss.meaning);
    return text;
}

void show(Report& report) {
    const Screen screen;
    const Profile& profile = report.profile;
    const Header& header = report.trace.ranks.front().header();
    const Volume volume = volume_of(report.trace);
    screen.title(
        fmt::format("tactus: {} on {}", printable(file_name(header.program)), plural(header.ranks, "rank", "ranks")));
    if (report.waits && report.has_mpi()) {
        const std::string efficiency = efficiency_text(*report.waits);
        if (!efficiency.empty()) screen.line("efficiency", efficiency);
        screen.line("lost", largest_loss_text(*report.waits, report.lines));
        const std::string root = largest_root_text(*report.waits, report.lines);
        if (!root.empty()) screen.line("root cause", root);
    }
    screen.line("clock", clock_text(report.trace));
    if (report.nccl) screen.line("NCCL", nccl_line(*report.nccl));
    if (!report.has_mpi()) {
        screen.line("wall time", duration_text(profile.wall_s));
    } else {
        screen.line("wall time", fmt::format("{}, {} of it in MPI", duration_text(profile.wall_s),
                                             percent_text(profile.mpi_share())));
        screen.line("calls",
                    fmt::format("{}, {} moved", count_text(profile.all.calls), bytes_text(profile.all.bytes())));
    }
    if (!profile.functions.empty()) fmt::print(stderr, "{}", functions_table(report));
    screen.line("overhead", overhead_text(report));
    const std::string losses = losses_text(report);
    screen.line("losses", losses.empty() ? "none" : losses);
    if (const std::string spawned = spawned_text(report); !spawned.empty()) screen.line("spawned", spawned);
    const std::vector<std::string> problems = report.problems();
    if (!problems.empty()) screen.warning(fmt::format("  {:<11}{}", "problem", problems.front()));
    if (problems.size() > 1) screen.line("", fmt::format("and {} more: `tactus info` lists them", problems.size() - 1));
    screen.line("trace", fmt::format("{} ({})", printable(report.trace.path), bytes_text(volume.bytes)));
    screen.line("go on with", "tactus report " + shell_word(report.trace.path));
    // For a run that was killed, the most important question is which calls its ranks were in.
    screen.line("",
                fmt::format("tactus {} {}", report.trace.finished() ? "view" : "where", shell_word(report.trace.path)));
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
    SourceLines sources;
    Report report{*trace, sources, Times::corrected, {}, true};
    show(report);
}

} // namespace tactus
