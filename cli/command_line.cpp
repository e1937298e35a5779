#include "cli/command_line.hpp"

#include "base/version.hpp"
#include "cli/command_line_messages.hpp"
#include "cli/command_line_parts.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/pager.hpp"

#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {
namespace {

constexpr const char* about = "Finds why an MPI program is slow, without rebuilding it.";
constexpr const char* footer = R"(
Exit status: 0 all is well; 1 the trace or the system is at fault (missing, cut, damaged, incomplete, of a newer
tactus, no permission, disk full); 2 the command line is wrong; 3 `tactus check` or `tactus diff` found more than is
allowed. `tactus run` exits as the command it runs: its status, 128 + the signal that ended it, 126 or 127 when it
could not be started.)";

constexpr const char* fit_help =
    "Fit the clocks again this way; raw: the hosts' dates; without it as the run left them";

void add_run(CLI::App& app, Status& status, RunRequest& request) {
    CLI::App* sub =
        app.add_subcommand("run", "Run a command with its MPI ranks traced; ends with one screen on stderr.");
    sub->add_option("--mpi", request.mpi, "Which MPI the program uses, when it cannot be told from its file")
        ->check(CLI::IsMember({"openmpi", "mpich", "abi"}));
    sub->add_flag("--nccl", request.nccl, "What NCCL does on GPUs, too; also of programs without MPI");
    sub->add_option("-o,--output", request.name, "The name of the trace, as VT_LOGFILE_NAME")
        ->check(CLI::Validator{[](const std::string& name) { return name.empty() ? "the name is empty" : ""; }, ""});
    for (std::size_t i = 0; i < preset_names.size(); ++i)
        sub->add_flag_function(
            std::string{"--"} + preset_names[i].name,
            [&request, i](std::int64_t) { request.presets.push_back(static_cast<Preset>(i)); }, preset_names[i].help);
    sub->footer("Write: tactus run [OPTION...] LAUNCHER... PROGRAM..., as in: tactus run mpirun -n 4 ./app\n"
                "Options of the tracer are VT_ variables (`tactus options`); the trace is PROGRAM.tactus in the "
                "current folder.");
    sub->prefix_command();
    sub->callback([&request, &status, sub] {
        request.command = sub->remaining();
        if (request.command.empty())
            status = misused("nothing to run (write: tactus run mpirun -n 4 ./app)");
        else if (request.command.front().front() == '-')
            status = misused(
                fmt::format("unknown option {} of tactus run (see tactus run --help)", request.command.front()));
        else
            status = run(request);
    });
}

void add_info(CLI::App& app, Status& status, InfoRequest& request) {
    CLI::App* sub = app.add_subcommand("info", "What a trace is: program, ranks, calls, size, overhead, losses.");
    add_trace(sub, request.trace);
    sub->add_flag("--json", request.json, "For programs");
    sub->callback([&] { status = info(request); });
}

CLI::AsNumberWithUnit with_unit(const std::map<std::string, double>& units, const char* name) {
    return CLI::AsNumberWithUnit{units,
                                 static_cast<CLI::AsNumberWithUnit::Options>(CLI::AsNumberWithUnit::CASE_SENSITIVE |
                                                                             CLI::AsNumberWithUnit::UNIT_REQUIRED),
                                 name};
}

void add_report(CLI::App& app, Status& status, ReportRequest& request) {
    CLI::App* sub =
        app.add_subcommand("report", "The profile: functions, call places, ranks, messages, collectives, losses.");
    add_trace(sub, request.trace);
    sub->add_flag("--json", request.json, "For programs");
    sub->add_option("--html", request.html, "Writes it as one page that needs nothing else, with a drawing of the run")
        ->excludes("--json");
    add_fit(sub, request.fit, {"interval", "itac", "raw"}, fit_help);
    add_times(
        sub, request.times, request.fit, {"raw", "corrected", "compensated"},
        "Times as measured, and beside them, with compensated, the default, what they would have been without the "
        "tracer; corrected or raw: only as measured");
    add_window(sub, request.from_s, request.to_s);
    sub->add_option("--latency", request.latency_s,
                    "How long the run would take on another network, on which a message takes this (2us); alone: of "
                    "infinite bandwidth")
        ->transform(with_unit({{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}, "TIME"))
        ->check(CLI::Range(0.0, 1e6));
    sub->add_option("--bandwidth", request.bandwidth, "The same: bytes a second from one rank to another (25GB)")
        ->transform(with_unit({{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}, "BYTES"))
        ->check(CLI::Range(1.0, 1e18));
    sub->callback([&] { status = report(request); });
}

// Adds an option whose value is a share, such as 10% or 0.1.
void add_share(CLI::App* sub, const char* name, std::optional<double>& share, const char* help) {
    sub->add_option_function<std::string>(
           name,
           [&share](const std::string& text) {
               const bool percent = text.back() == '%';
               share = std::stod(text) / (percent ? 100 : 1);
           },
           help)
        ->type_name("SHARE")
        ->check([](const std::string& text) -> std::string {
            std::size_t end = 0;
            double value = -1;
            try {
                value = std::stod(text, &end);
            } catch (const std::exception&) {
                end = 0;
            }
            const std::string unit = text.substr(end);
            if (end > 0 && ((unit == "%" && value >= 0 && value <= 100) || (unit.empty() && value >= 0 && value <= 1)))
                return {};
            return "'" + text + "' is no share: write 10% or 0.1";
        });
}

void add_check(CLI::App& app, Status& status, CheckRequest& request) {
    CLI::App* sub = app.add_subcommand("check", "Whether a trace keeps within limits; exits with 3 where it does not.");
    add_trace(sub, request.trace);
    add_share(sub, "--max-wait", request.max_wait,
              "All waits together take at most this of the time of all ranks and threads");
    add_share(sub, "--min-efficiency", request.min_efficiency, "Parallel efficiency is at least this");
    sub->callback([&] { status = check(request); });
}

void add_diff(CLI::App& app, Status& status, DiffRequest& request) {
    CLI::App* sub = app.add_subcommand(
        "diff", "What changed from one trace to others: time, efficiency, scaling, functions, call places, waits.");
    sub->add_option(
           "TRACES", request.traces,
           "The directory NAME.tactus to compare with, and the ones that are asked about, which may have other "
           "ranks")
        ->required()
        ->expected(2, -1)
        ->transform(found_trace);
    sub->add_flag("--weak", request.weak, "Runs with more ranks have more to compute (weak scaling)");
    sub->add_flag("--json", request.json, "For programs");
    add_share(sub, "--threshold", request.threshold, "Exit with 3 where B takes longer than A by more than this");
    sub->callback([&] { status = diff(request); });
}

void add_dump(CLI::App& app, Status& status, DumpRequest& request) {
    CLI::App* sub = app.add_subcommand("dump", "The records as text, by time.");
    add_trace(sub, request.trace);
    sub->add_option("--rank", request.ranks, "Only this rank of MPI_COMM_WORLD; may be repeated")
        ->allow_extra_args(false);
    sub->add_option("--from", request.from_s, "Only what ends at or after this many seconds since the start");
    sub->add_option("--to", request.to_s, "Only what begins at or before this many seconds since the start");
    sub->add_option("--function", request.functions, "Only calls of this function; may be repeated")
        ->allow_extra_args(false);
    sub->add_flag("--events", request.events, "A line an event: enter, send, receive, exit, collective exit");
    add_fit(sub, request.fit, {"interval", "itac", "raw"}, fit_help);
    add_times(sub, request.times, request.fit, {"raw", "corrected", "compensated", "noted"},
              "Times on one clock (corrected, the default); compensated: as they would have been without the tracer; "
              "noted: the "
              "same by what VT_PIGGYBACK carried; raw: by each host's date");
    sub->callback([&] { status = dump(request); });
}

void add_clocks(CLI::App& app, Status& status, ClocksRequest& request) {
    CLI::App* sub = app.add_subcommand(
        "clocks", "The ranks' clocks: offsets, drifts, how well they are known, and messages they put in disorder.");
    add_trace(sub, request.trace);
    sub->add_flag("--json", request.json, "For programs");
    add_fit(sub, request.fit, {"interval", "itac"}, "Fit the clocks again this way; without it as the run left them");
    sub->add_option("--svg", request.svg, "Also draw them into this file");
    sub->callback([&] { status = clocks(request); });
}

void add_where(CLI::App& app, Status& status, WhereRequest& request) {
    CLI::App* sub =
        app.add_subcommand("where", "What each rank of a running, hung or dead job is inside of, and since when.");
    add_trace(sub, request.trace);
    sub->callback([&] { status = where(request); });
}

void add_options(CLI::App& app, Status& status, OptionsRequest& request) {
    CLI::App* sub = app.add_subcommand("options", "The VT_ options of the tracer, their defaults and meaning.");
    sub->add_flag("--intel", request.intel, "What becomes of each option of Intel's Trace Collector");
    sub->add_flag("--markdown", request.markdown, "As a page of the documentation");
    sub->callback([&] { status = print_options(request); });
}

// Adds the options that choose the rows and their times.
void add_rows(CLI::App* sub, TimelineRequest& request, std::optional<Fit>& fit) {
    sub->add_option_function<std::string>(
           "--rows",
           [&request](const std::string& name) {
               for (std::size_t i = 0; i < rows_by_names.size(); ++i)
                   if (name == rows_by_names[i]) request.rows = static_cast<RowsBy>(i);
           },
           "What makes a row; the default is processes")
        ->check(CLI::IsMember(std::vector<std::string>{rows_by_names.begin(), rows_by_names.end()}));
    sub->add_option("--group", request.groups, "A row of these ranks, such as 0-3,8; may be given several times");
    add_times(sub, request.times, fit, {"raw", "corrected", "compensated"},
              "By the hosts' dates, on one clock (the default), or without the tracer");
}

void add_timeline(CLI::App& app, Status& status, TimelineRequest& request, std::optional<Fit>& fit) {
    CLI::App* sub =
        app.add_subcommand("timeline", "What each rank was doing over time, in as much detail as a picture shows.");
    add_trace(sub, request.trace);
    sub->add_flag("--json", request.json, "For programs");
    add_window(sub, request.from_s, request.to_s);
    sub->add_option("--pixels", request.pixels, "How wide the picture is: 100 letters, with --json 1024")
        ->check(CLI::Range(1U, 1U << 20));
    sub->add_option("--messages", request.messages,
                    "With --json: at most so many messages, waits and collectives; 0 for none");
    sub->add_option("--values", request.values, "With --json: at most so many values of counters; 0 for none");
    sub->add_flag(
        "--at-once", request.at_once,
        "Shows in wider slots what takes a while: messages that would be gathered first, functions of more than "
        "a million records that were not added up ahead");
    sub->add_option("--slot-pixels", request.pixels_a_slot, "How wide a slot is at least")
        ->check(CLI::Range(1U, 4096U));
    add_rows(sub, request, fit);
    sub->callback([&] { status = timeline(request); });
}

// Adds the options for a drawing, which is written into a file in place of the page.
void add_drawing(CLI::App* sub, ViewTracesRequest& request, std::optional<Fit>& fit) {
    const auto add = [&](const char* name, DrawingFormat format, const char* help) {
        sub->add_option_function<std::string>(
            name,
            [&request, format](const std::string& file) {
                if (!request.picture.drawing) request.picture.drawing = Drawing{};
                request.picture.file = file;
                request.picture.drawing->format = format;
            },
            help);
    };
    add("--svg", DrawingFormat::svg, "Draws the view into this file, in place of the page");
    add("--png", DrawingFormat::png, "The same as pixels");
    add("--pdf", DrawingFormat::pdf, "The same for a document");
    sub->add_option_function<double>(
           "--width",
           [&request](double width) {
               if (!request.picture.drawing) request.picture.drawing = Drawing{};
               request.picture.drawing->width = width;
           },
           "How wide the drawing is, in pixels; 1200")
        ->check(CLI::Range(200.0, 16000.0));
    sub->add_flag("--path", request.picture.critical_path, "With the critical path");
    request.picture.messages = 2000;
    request.picture.values = 0;
    add_window(sub, request.picture.from_s, request.picture.to_s);
    add_rows(sub, request.picture, fit);
}

void add_view(CLI::App& app, Status& status, ViewTracesRequest& request, std::optional<Fit>& fit) {
    CLI::App* sub = app.add_subcommand(
        "view", "Look at a trace in the browser, or at two of them on one time axis, in any detail.");
    sub->add_option("TRACE", request.traces, "The directory NAME.tactus; two of them are compared")
        ->required()
        ->expected(1, 2)
        ->transform(found_trace);
    sub->add_option("--port", request.port, "Where to listen on 127.0.0.1; 0: any free port")
        ->check(CLI::Range(0, 65535));
    add_drawing(sub, request, fit);
    sub->footer("The address it prints has a random token: who does not know it gets nothing. From another machine:\n"
                "ssh -L PORT:127.0.0.1:PORT machine, and the address as it is. Ctrl-C ends it.");
    sub->callback([&] {
        status = request.picture.drawing && request.picture.file.empty()
                     ? misused("--width is of a drawing: give --svg, --png or --pdf, too")
                     : view_traces(request);
    });
}

// Prepares the options of `tactus run` for CLI11. It would take the command after "--" for misplaced arguments, and
// the letters of Intel's -trace-pt2pt for single options.
void prepare_run(std::vector<std::string>& words) {
    for (std::size_t at = 2; at < words.size(); ++at) {
        std::string& word = words[at];
        if (word == "--") {
            words.erase(words.begin() + static_cast<long>(at));
            return;
        }
        if (!word.starts_with('-')) return;
        for (const PresetName& preset : preset_names)
            if (word == std::string{"-"} + preset.name) word.insert(0, "-");
        if (word == "--mpi" || word == "-o" || word == "--output") ++at;
    }
}

// Returns the words of the command line, with `help`, `help COMMAND` and `version` as the options that CLI11 knows.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words{argv, argv + argc};
    if (argc < 2) return words;
    if (words[1] == "version") words[1] = "--version";
    if (words[1] == "help") {
        words.erase(words.begin() + 1);
        words.emplace_back("--help");
    }
    if (words[1] == "run") prepare_run(words);
    return words;
}

} // namespace

int run_command_line(int argc, char** argv) {
    CLI::App app{about, "tactus"};
    app.footer(footer);
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", std::string{"tactus "} + version());
    app.formatter(std::make_shared<PlainFormatter>());
    Status status = exit_code::fine;
    RunRequest run_request;
    InfoRequest info_request;
    ReportRequest report_request;
    CheckRequest check_request;
    DiffRequest diff_request;
    DumpRequest dump_request;
    TimelineRequest timeline_request;
    std::optional<Fit> timeline_fit; // set by --time raw
    std::optional<Fit> view_fit;
    ViewTracesRequest view_request;
    ClocksRequest clocks_request;
    WhereRequest where_request;
    RecoverRequest recover_request;
    FinishRequest finish_request;
    ExportRequest export_request;
    ImportRequest import_request;
    OptionsRequest options_request;
    add_run(app, status, run_request);
    add_info(app, status, info_request);
    add_report(app, status, report_request);
    add_check(app, status, check_request);
    add_diff(app, status, diff_request);
    add_dump(app, status, dump_request);
    add_timeline(app, status, timeline_request, timeline_fit);
    add_view(app, status, view_request, view_fit);
    add_clocks(app, status, clocks_request);
    add_where(app, status, where_request);
    add_recover(app, status, recover_request);
    add_finish(app, status, finish_request);
    add_export(app, status, export_request);
    add_import(app, status, import_request);
    add_options(app, status, options_request);
    Pager pager; // ends after everything is printed
    for (const char* const name : {"report", "diff", "dump", "clocks", "options"})
        app.get_subcommand(name)->preparse_callback([&pager](std::size_t) { pager.start(); });
    try {
        const std::vector<std::string> words = words_of(argc, argv);
        if (words.size() < 2) {
            fmt::print(stderr, "{}", app.help());
            return exit_code::usage;
        }
        std::vector<const char*> arguments;
        for (const std::string& word : words) arguments.push_back(word.c_str());
        app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::ParseError& error) {
        return explain(app, error);
    }
    return flush_output(status);
}

} // namespace tactus
