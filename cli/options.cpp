// `tactus options`: the collector's option table as docs/options.md has it, too (that file is this output).
#include "base/options/option_table.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"

#include <fmt/format.h>

namespace tactus {
namespace {

const char* kind_text(OptionKind kind) {
    switch (kind) {
    case OptionKind::boolean:
        return "on or off";
    case OptionKind::bytes:
        return "size: 64KB, 8MB, 1GB";
    case OptionKind::time:
        return "time: 30s, 1m+30s";
    case OptionKind::duration:
        return "time above zero: 30s, 1m+30s";
    case OptionKind::count:
        return "number";
    case OptionKind::text:
        return "text";
    case OptionKind::signal:
        return "off, or a signal: USR1, USR2, HUP, ALRM, IO, PWR, URG, WINCH";
    case OptionKind::timer:
        return "TSC, CPU, CPU_Norm, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, gettimeofday, MPI_Wtime or LIST";
    case OptionKind::fit:
        return "interval or itac";
    case OptionKind::topology:
        return "auto, star or tree";
    case OptionKind::synced_host:
        return "auto, on or off";
    case OptionKind::period:
        return "off, or time: 30s, 1m+30s";
    case OptionKind::piggyback:
        return "on, off, struct, packed or message";
    case OptionKind::test_clock:
        return "RANKS:key=value,...;...";
    case OptionKind::nccl_events:
        return "list of api, coll, p2p, kernel, proxy, net; or all";
    case OptionKind::state_rules:
    case OptionKind::symbol_rules:
    case OptionKind::activity_rules:
        return "rules, separated by ';': PATTERN on; PATTERN off";
    case OptionKind::process_rules:
        return "rules, separated by ';': 0:N:2 off; 4,6 on";
    case OptionKind::time_windows:
        return "windows BEGIN:END of time: 0:1, 7m:12m";
    case OptionKind::eclc:
        return "on, off or 2007";
    case OptionKind::gamma:
        return "auto, iterate or a number above 0, up to 1";
    case OptionKind::spacing:
        return "tick, or time: 1ns";
    case OptionKind::least:
        return "measured, or time: 1us";
    case OptionKind::slope:
        return "number above 0, up to 1";
    }
    return "text";
}

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
