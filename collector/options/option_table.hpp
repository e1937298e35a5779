// Every option: name (VT_NAME in the environment, NAME in the VT_CONFIG file), kind of value, default, one sentence.
// The collector, `tactus options` and docs/options.md read this one table.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tactus {

enum class Option : std::size_t {
    activity,
    config,
    finalize_timeout,
    flush_prefix,
    flush_signal,
    init_timeout,
    logfile_name,
    logfile_prefix,
    process,
    progname,
    state,
    symbol,
    timer,
    time_windows,
    verbose,
};

enum class OptionKind {
    boolean,
    bytes,
    time,
    duration,
    count,
    text,
    timer,
    signal,
    state_rules,
    symbol_rules,
    activity_rules,
    process_rules,
    time_windows
};

struct OptionRow {
    std::string_view name;
    OptionKind kind;
    std::string_view initial; // in the grammar of its kind
    std::string_view help;
};

inline constexpr auto option_table = std::to_array<OptionRow>({
    {"ACTIVITY", OptionKind::activity_rules, "",
     "Whether the functions of a class are recorded: ACTIVITY p is STATE p:*, as in MPI off. More in docs/filters.md."},
    {"CONFIG", OptionKind::text, "",
     "File with one option per line (NAME VALUE, '#' begins a comment); the environment wins over it."},
    {"FINALIZE_TIMEOUT", OptionKind::duration, "10m",
     "How long a rank waits at the end of MPI_Finalize for the others before it leaves the trace without a manifest."},
    {"FLUSH_PREFIX", OptionKind::text, "",
     "Directory for the lanes, the node-local files that hold what is not written yet. Default: the trace directory if "
     "it is "
     "local, else /dev/shm, else /tmp."},
    {"FLUSH_SIGNAL", OptionKind::signal, "off",
     "Signal that brings everything recorded so far into the trace while the program runs, for example USR2; used only "
     "where the program and its MPI left that signal at default (MPICH uses USR1). poll and the like then see EINTR."},
    {"INIT_TIMEOUT", OptionKind::duration, "60s",
     "How long MPI_Init waits for every rank's collector before it names the cause and ends the job."},
    {"LOGFILE_NAME", OptionKind::text, "", "Name of the trace. Default: the program's name and '.tactus'."},
    {"LOGFILE_PREFIX", OptionKind::text, "", "Directory the trace is put into. Default: the current directory."},
    {"PROCESS", OptionKind::process_rules, "0:N on",
     "Which ranks record: FIRST:LAST:STEP, N is the last one. off until VT_traceon; no and discard for good. The last "
     "rule that names a rank holds. More in docs/filters.md."},
    {"PROGNAME", OptionKind::text, "",
     "The program's name in the trace and in the trace's name. Default: from the command line."},
    {"STATE", OptionKind::state_rules, "",
     "Whether functions are recorded whose CLASS:NAME matches, as in MPI:*send off. The last rule that matches holds; "
     "everything is on at the start. More in docs/filters.md."},
    {"SYMBOL", OptionKind::symbol_rules, "",
     "Whether functions of that name are recorded: SYMBOL p is STATE **:p, as in MPI_Iprobe off. More in "
     "docs/filters.md."},
    {"TIMER", OptionKind::timer, "",
     "Clock for time stamps: TSC or CLOCK_MONOTONIC. Default: TSC where it is invariant."},
    {"TIME_WINDOWS", OptionKind::time_windows, "",
     "When to record, in time since the start of the trace. Default: always. More in docs/filters.md."},
    {"VERBOSE", OptionKind::boolean, "off", "Say at the start and at the end where the trace is."},
});

// Set by tactus itself, not meant for users; not reported as unknown.
inline constexpr auto internal_variables = std::to_array<std::string_view>({"VT_TACTUS_RUN"});

} // namespace tactus
