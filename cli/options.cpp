// `tactus options`: prints the option table of the collector, or that of Intel's options. docs/options.md and
// docs/intel-options.md are its output.
#include "base/options/intel_options.hpp"
#include "base/options/option_table.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/terminal.hpp"

#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace tactus {
namespace {

struct KindText {
    OptionKind kind;
    const char* text;
};
constexpr auto kind_texts = std::to_array<KindText>({
    {OptionKind::boolean, "on or off"},
    {OptionKind::bytes, "size: 64KB, 8MB, 1GB"},
    {OptionKind::time, "time: 30s, 1m+30s"},
    {OptionKind::duration, "time above zero: 30s, 1m+30s"},
    {OptionKind::count, "number"},
    {OptionKind::text, "text"},
    {OptionKind::timer,
     "CPU, CPU_Norm, TSC, CNTVCT, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, gettimeofday, MPI_Wtime or LIST"},
    {OptionKind::signal, "off, or a signal: USR1, USR2, HUP, ALRM, IO, PWR, URG, WINCH"},
    {OptionKind::state_rules, "rules, separated by ';': PATTERN on; PATTERN off"},
    {OptionKind::symbol_rules, "rules, separated by ';': PATTERN on; PATTERN off"},
    {OptionKind::activity_rules, "rules, separated by ';': PATTERN on; PATTERN off"},
    {OptionKind::process_rules, "rules, separated by ';': 0:N:2 off; 4,6 on"},
    {OptionKind::counter_rules, "rules, separated by ';': cycles on; solver:* off"},
    {OptionKind::time_windows, "windows BEGIN:END of time: 0:1, 7m:12m"},
    {OptionKind::fit, "interval or itac"},
    {OptionKind::topology, "auto, star or tree"},
    {OptionKind::synced_host, "auto, on or off"},
    {OptionKind::period, "off, or time: 30s, 1m+30s"},
    {OptionKind::piggyback, "on, off, struct, packed or message"},
    {OptionKind::test_clock, "RANKS:key=value,...;..."},
    {OptionKind::nccl_events, "list of api, coll, p2p, kernel, proxy, net; or all"},
    {OptionKind::sampling, "off, or 1 to 200"},
    {OptionKind::call_levels, "all, on, off, LEVELS or SKIP:LEVELS"},
    {OptionKind::eclc, "on, off or 2007"},
    {OptionKind::gamma, "auto, iterate or a number above 0, up to 1"},
    {OptionKind::spacing, "tick, or time: 1ns"},
    {OptionKind::least, "measured, or time: 1us"},
    {OptionKind::slope, "number above 0, up to 1"},
    {OptionKind::verbosity, "on, off, or a level from 0 to 4"},
});

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kind_texts.size(); ++i)
        if (kind_texts[i].kind != static_cast<OptionKind>(i)) return false;
    return kind_texts.back().kind == OptionKind::verbosity; // the last enumerator
}
static_assert(is_in_order(), "each kind of option has its text, in the order of the enumeration");

const char* kind_text(OptionKind kind) { return kind_texts[static_cast<std::size_t>(kind)].text; }

// The form of docs/options.md.
void print_markdown() {
    fmt::print("# Options\n\n"
               "Each is an environment variable, VT_NAME, or a line `NAME VALUE` in the file that VT_CONFIG names.\n"
               "This page is what `tactus options --markdown` prints.\n");
    for (const OptionRow& row : option_table)
        fmt::print("\n## VT_{}\n\n{}{}\n\n{}\n", row.name, kind_text(row.kind),
                   row.initial.empty() ? "" : fmt::format("; default {}", row.initial), row.help);
}

void print_plain() {
    const std::size_t width = terminal_width(STDOUT_FILENO);
    fmt::print("{}",
               wrapped("Each is an environment variable, VT_NAME, or a line NAME VALUE in the file that VT_CONFIG "
                       "names. `tactus options --intel` says what becomes of the options of Intel's collector.",
                       width));
    for (const OptionRow& row : option_table) {
        fmt::print("\nVT_{}\n", row.name);
        fmt::print("{}", wrapped(fmt::format("{}{}", kind_text(row.kind),
                                             row.initial.empty() ? "" : fmt::format("; default {}", row.initial)),
                                 width, 4));
        std::string help{row.help};
        std::erase(help, '`');
        fmt::print("{}", wrapped(help, width, 4));
    }
}

const char* answer_text(IntelAnswer answer) {
    switch (answer) {
    case IntelAnswer::same:
        return "the same";
    case IntelAnswer::not_needed:
        return "not needed";
    case IntelAnswer::instead:
        return "otherwise";
    case IntelAnswer::later:
        return "not yet";
    case IntelAnswer::environment:
        return "no option";
    }
    return "";
}

void print_intel(bool markdown) {
    if (markdown)
        fmt::print(
            "# Options of Intel's Trace Collector\n\n"
            "What tactus does with each of them. This page is what `tactus options --intel --markdown` prints.\n\n"
            "* *the same*: tactus has the option, with the same meaning\n"
            "* *not needed*: tactus does without it\n"
            "* *otherwise*: tactus does something else, and says so where the option is set\n"
            "* *not yet*: not in this version; the value is checked and kept in the trace, and tactus says so\n"
            "* *no option*: a variable of Intel's own scripts, which is passed over\n\n"
            "| option | here | |\n|---|---|---|\n");
    const std::size_t width = terminal_width(STDOUT_FILENO);
    for (const IntelOption& option : intel_options) {
        if (markdown) {
            fmt::print("| VT_{} | {} | {} |\n", option.name, answer_text(option.answer), option.words);
            continue;
        }
        std::string words{option.words};
        std::erase(words, '`');
        fmt::print("VT_{} ({})\n{}", option.name, answer_text(option.answer), wrapped(words, width, 4));
    }
}

} // namespace

int print_options(const OptionsRequest& request) {
    if (request.intel)
        print_intel(request.markdown);
    else if (request.markdown)
        print_markdown();
    else
        print_plain();
    return exit_code::fine;
}

} // namespace tactus
