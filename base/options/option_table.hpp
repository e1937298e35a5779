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
    delays,
    eclc,
    eclc_delta,
    eclc_epsilon,
    eclc_gamma,
    eclc_mu,
    eclc_slope,
    finalize_timeout,
    flush_prefix,
    flush_signal,
    init_timeout,
    logfile_name,
    logfile_prefix,
    nccl_cupti,
    nccl_events,
    piggyback,
    piggyback_collectives,
    piggyback_copy_max,
    postproc,
    postproc_max,
    process,
    progname,
    state,
    symbol,
    sync_fit,
    sync_max_duration,
    sync_max_messages,
    sync_period,
    sync_topology,
    synced_cluster,
    synced_host,
    test_clock,
    test_overhead,
    timer,
    time_windows,
    verbose,
    waits,
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
    time_windows,
    fit,
    topology,
    synced_host,
    period,
    piggyback,
    test_clock,
    nccl_events,
    eclc,
    gamma,
    spacing,
    least,
    slope
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
    {"DELAYS", OptionKind::boolean, "on",
     "With VT_PIGGYBACK, whether the trace keeps how late each thread was because of the tracer."},
    {"ECLC", OptionKind::eclc, "on",
     "Whether times are corrected at the end, so that no message arrives before it was sent: on; off; 2007, with the "
     "parameters of that year's report (VT_ECLC_GAMMA 0.99, VT_ECLC_DELTA 1ns, VT_ECLC_MU 1us), to compare."},
    {"ECLC_DELTA", OptionKind::spacing, "tick",
     "The least time between two events of a rank after the correction; tick: as they were."},
    {"ECLC_EPSILON", OptionKind::time, "1us",
     "With VT_ECLC_GAMMA=iterate, the largest move of a pass that is the last one."},
    {"ECLC_GAMMA", OptionKind::gamma, "auto",
     "How much of a local interval is kept while a corrected clock comes back: a number above 0, up to 1; auto, 1 less "
     "five times what the clocks may drift, from 0.999 to 0.99999; iterate, the same in passes."},
    {"ECLC_MU", OptionKind::least, "0ns",
     "The least time that a message takes; more than the truth ruins a good trace. measured: between hosts half of "
     "what "
     "the quickest message took by which their clocks were measured, within a host nothing."},
    {"ECLC_SLOPE", OptionKind::slope, "0.01",
     "By how much intervals before a corrected event are stretched at most, unless messages that were sent there "
     "leave less room."},
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
    {"NCCL_CUPTI", OptionKind::boolean, "off",
     "Whether CUPTI tells the NCCL plugin which kernels the GPU ran for NCCL, and when; it watches all kernels then. "
     "More in docs/nccl.md."},
    {"NCCL_EVENTS", OptionKind::nccl_events, "api,coll,p2p,kernel",
     "What the NCCL plugin asks NCCL for: api, coll, p2p, kernel (when the GPU did it), proxy, net, separated by "
     "commas; or all. More in docs/nccl.md."},
    {"PIGGYBACK", OptionKind::piggyback, "on",
     "Whether messages carry their sender's delay: on, those up to VT_PIGGYBACK_COPY_MAX; struct or packed, all of "
     "them, by a datatype from where they are or as a copy; message, by a message of its own, to compare; off. More in "
     "docs/piggyback.md."},
    {"PIGGYBACK_COLLECTIVES", OptionKind::boolean, "off",
     "Whether blocking collectives carry delays, too, by one of 16 bytes in front of each. Only what the threads note "
     "while the program runs needs it. All members then have to make all collectives, also one that one of them makes "
     "wrongly."},
    {"PIGGYBACK_COPY_MAX", OptionKind::bytes, "2KB",
     "Messages up to this size are copied behind what they carry; larger ones travel as they are, without anything. "
     "The ranks agree on the smallest, at least 64 bytes."},
    {"POSTPROC", OptionKind::boolean, "on",
     "Whether the trace is finished inside MPI_Finalize: one clock, corrected by the run's own messages. off leaves it "
     "to `tactus finish`."},
    {"POSTPROC_MAX", OptionKind::duration, "60s",
     "How long that may take; then it stops, and `tactus finish` does it."},
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
    {"SYNC_FIT", OptionKind::fit, "interval",
     "How measured clocks become one: interval, by hard bounds, or itac, as Intel's collector did. `--fit` chooses "
     "again "
     "when a trace is read."},
    {"SYNC_MAX_DURATION", OptionKind::time, "1m",
     "How long the exchanges of a round of clock measurements may take, which may be repeated twice; also after how "
     "long VT_timesync names the ranks that did not "
     "call it. 0: a barrier instead of messages."},
    {"SYNC_MAX_MESSAGES", OptionKind::count, "100",
     "Messages between a rank and its master in a round; at most 100,000."},
    {"SYNC_PERIOD", OptionKind::period, "off",
     "How often clocks are measured during the run: inside a blocking collective of MPI_COMM_WORLD, the first that "
     "comes "
     "when it is time."},
    {"SYNC_TOPOLOGY", OptionKind::topology, "auto",
     "Who measures whom: star, all against rank 0; tree, binomial, in log2 steps; auto is a tree beyond 32 clocks."},
    {"SYNCED_CLUSTER", OptionKind::boolean, "off",
     "The dates of all hosts agree, as by PTP: nothing is measured, and each host's date is taken."},
    {"SYNCED_HOST", OptionKind::synced_host, "auto",
     "Whether all ranks of a host share a clock, so that only one of them is measured. auto: when host and timer are "
     "the "
     "same and their messages agree."},
    {"TEST_CLOCK", OptionKind::test_clock, "",
     "For tests: makes ranks' clocks wrong in a known way, RANKS:offset=1ms,ppm=20,sine=20us/40s,slew=5ppm@3s,"
     "step=50us@4s,host=b; more behind ';'."},
    {"TEST_OVERHEAD", OptionKind::time, "0",
     "For tests: makes every call that is recorded so much slower, before its record begins."},
    {"TIMER", OptionKind::timer, "",
     "Clock for time stamps: TSC (also CPU, CPU_Norm), CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, gettimeofday or "
     "MPI_Wtime; "
     "LIST says what each costs here. Default: TSC where it is invariant, else CLOCK_MONOTONIC."},
    {"TIME_WINDOWS", OptionKind::time_windows, "",
     "When to record, in time since the start of the trace. Default: always. More in docs/filters.md."},
    {"VERBOSE", OptionKind::boolean, "off", "Say at the start and at the end where the trace is."},
    {"WAITS", OptionKind::boolean, "on", "Whether it is found who waited for whom when the trace is finished."},
});

// Set by tactus itself, not meant for users; not reported as unknown.
inline constexpr auto internal_variables = std::to_array<std::string_view>({"VT_TACTUS_RUN"});

} // namespace tactus
