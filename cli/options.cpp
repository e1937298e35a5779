// `tactus options`: prints the option table of the collector. docs/options.md is this output.
#include "base/options/option_table.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"

#include <array>
#include <cstddef>
#include <fmt/format.h>

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
    {OptionKind::timer, "TSC, CPU, CPU_Norm, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, gettimeofday, MPI_Wtime or LIST"},
    {OptionKind::signal, "off, or a signal: USR1, USR2, HUP, ALRM, IO, PWR, URG, WINCH"},
    {OptionKind::state_rules, "rules, separated by ';': PATTERN on; PATTERN off"},
    {OptionKind::symbol_rules, "rules, separated by ';': PATTERN on; PATTERN off"},
    {OptionKind::activity_rules, "rules, separated by ';': PATTERN on; PATTERN off"},
    {OptionKind::process_rules, "rules, separated by ';': 0:N:2 off; 4,6 on"},
    {OptionKind::time_windows, "windows BEGIN:END of time: 0:1, 7m:12m"},
    {OptionKind::fit, "interval or itac"},
    {OptionKind::topology, "auto, star or tree"},
    {OptionKind::synced_host, "auto, on or off"},
    {OptionKind::period, "off, or time: 30s, 1m+30s"},
    {OptionKind::piggyback, "on, off, struct, packed or message"},
    {OptionKind::test_clock, "RANKS:key=value,...;..."},
    {OptionKind::nccl_events, "list of api, coll, p2p, kernel, proxy, net; or all"},
    {OptionKind::eclc, "on, off or 2007"},
    {OptionKind::gamma, "auto, iterate or a number above 0, up to 1"},
    {OptionKind::spacing, "tick, or time: 1ns"},
    {OptionKind::least, "measured, or time: 1us"},
    {OptionKind::slope, "number above 0, up to 1"},
});

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kind_texts.size(); ++i)
        if (kind_texts[i].kind != static_cast<OptionKind>(i)) return false;
    return kind_texts.back().kind == OptionKind::slope; // the last enumerator
}
static_assert(is_in_order(), "each kind of option has its text, in the order of the enumeration");

const char* kind_text(OptionKind kind) { return kind_texts[static_cast<std::size_t>(kind)].text; }

} // namespace

int print_options() {
    fmt::print("# Options\n\n"
               "Each is an environment variable, VT_NAME, or a line `NAME VALUE` in the file that VT_CONFIG names.\n"
               "This page is what `tactus options` prints.\n");
    for (const OptionRow& row : option_table)
        fmt::print("\n## VT_{}\n\n{}{}\n\n{}\n", row.name, kind_text(row.kind),
                   row.initial.empty() ? "" : fmt::format("; default {}", row.initial), row.help);
    return exit_code::fine;
}

} // namespace tactus
