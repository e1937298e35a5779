// Every option with its name (VT_NAME in the environment, NAME in the VT_CONFIG file), kind of value, default and help.
// The collector, `tactus options` and docs/options.md read this one table.
#pragma once

#include "base/in_step.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace tactus {

enum class Option : std::size_t {
    activity,
    compensate,
    config,
    counter,
    current_dir,
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
    mpi_flavor,
    nccl_cupti,
    nccl_events,
    pctrace,
    piggyback,
    piggyback_collectives,
    piggyback_copy_max,
    postproc,
    postproc_max,
    process,
    progname,
    sampling,
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
    counter_rules,
    time_windows,
    fit,
    topology,
    synced_host,
    period,
    piggyback,
    test_clock,
    nccl_events,
    sampling,
    call_levels,
    eclc,
    gamma,
    spacing,
    least,
    slope,
    verbosity
};

struct OptionRow {
    Option option;
    std::string_view name;
    OptionKind kind;
    std::string_view initial; // in the grammar of its kind
    std::string_view help;
};

inline constexpr auto option_table = std::to_array<OptionRow>({
    {Option::activity, "ACTIVITY", OptionKind::activity_rules, "",
     "Says whether the functions of a class are recorded, as in MPI off. ACTIVITY p means the same as STATE p:*. "
     "More in docs/filters.md."},
    {Option::compensate, "COMPENSATE", OptionKind::boolean, "off",
     "Says whether finishing a trace also computes the run without the tracer. Otherwise `tactus report` does it. More "
     "in docs/delays.md."},
    {Option::config, "CONFIG", OptionKind::text, "",
     "A file with one option a line (NAME VALUE; '#' begins a comment). A variable of the environment takes "
     "precedence over it."},
    {Option::counter, "COUNTER", OptionKind::counter_rules, "",
     "Which counters are recorded, as in cycles on; instructions on. Those of the processor are off unless a rule says "
     "on: cycles, instructions, cache_misses, branch_misses, reference_cycles, task_clock and page_faults, up to four "
     "of them. Those that the program defines are on. A rule has a pattern of names and on or off, and the last one "
     "that "
     "matches holds. More in docs/counters.md."},
    {Option::current_dir, "CURRENT_DIR", OptionKind::text, "",
     "The folder that relative names in VT_LOGFILE_PREFIX, VT_LOGFILE_NAME and VT_FLUSH_PREFIX are taken from. "
     "Default: "
     "the folder that each rank runs in."},
    {Option::delays, "DELAYS", OptionKind::boolean, "on",
     "Says whether the trace keeps how late each thread was because of the tracer. It needs VT_PIGGYBACK. More in "
     "docs/delays.md."},
    {Option::eclc, "ECLC", OptionKind::eclc, "on",
     "Says whether times are corrected at the end, so that no message arrives before it was sent. 2007 corrects with "
     "the parameters of the report of that year (VT_ECLC_GAMMA 0.99, VT_ECLC_DELTA 1ns, VT_ECLC_MU 1us), for "
     "comparison. More in docs/correction.md."},
    {Option::eclc_delta, "ECLC_DELTA", OptionKind::spacing, "tick",
     "The least time between two events of a rank after the correction. With tick, events stay in order, and nothing "
     "more is asked."},
    {Option::eclc_epsilon, "ECLC_EPSILON", OptionKind::time, "1us",
     "With VT_ECLC_GAMMA=iterate, the passes end after the first pass that moves nothing by more than this."},
    {Option::eclc_gamma, "ECLC_GAMMA", OptionKind::gamma, "auto",
     "How much of the time between two events of a rank is kept while a corrected clock returns to its own time. "
     "auto takes 1 minus five times the possible drift of the clocks, between 0.999 and 0.99999. iterate does the "
     "same in several passes. More in docs/correction.md."},
    {Option::eclc_mu, "ECLC_MU", OptionKind::least, "0ns",
     "The least time that a message takes. A value above the true time spoils a trace that was right. measured takes "
     "nothing within a host; between hosts it takes half of the time of the quickest message by which their clocks "
     "were measured."},
    {Option::eclc_slope, "ECLC_SLOPE", OptionKind::slope, "0.01",
     "By how much the time before a corrected event is stretched at most, unless messages that were sent in that "
     "time leave less room."},
    {Option::finalize_timeout, "FINALIZE_TIMEOUT", OptionKind::duration, "10m",
     "How long a rank waits for the others at the end of MPI_Finalize. After that it leaves the trace without a "
     "manifest."},
    {Option::flush_prefix, "FLUSH_PREFIX", OptionKind::text, "",
     "The directory for the lanes. These files on each node hold what is not written to the trace yet. Default: the "
     "trace directory if it is local, else /dev/shm, else /tmp."},
    {Option::flush_signal, "FLUSH_SIGNAL", OptionKind::signal, "off",
     "A signal that makes the running program write everything recorded so far into the trace, for example USR2. It "
     "works only where the program and its MPI have left that signal at its default (MPICH uses USR1). Calls such as "
     "poll are then interrupted (EINTR)."},
    {Option::init_timeout, "INIT_TIMEOUT", OptionKind::duration, "60s",
     "How long MPI_Init waits for the collector of every rank. After that it names the cause and ends the job."},
    {Option::logfile_name, "LOGFILE_NAME", OptionKind::text, "",
     "The name of the trace. Default: the name of the program and '.tactus'."},
    {Option::logfile_prefix, "LOGFILE_PREFIX", OptionKind::text, "",
     "The directory that the trace is put into. Default: the current directory."},
    {Option::mpi_flavor, "MPI_FLAVOR", OptionKind::text, "",
     "Which MPI the program has, as `tactus run --mpi` says it: openmpi, mpich, or abi for the standard ABI of MPI 5. "
     "Only `tactus run` reads it, and only from the environment. Default: it is found in the program's file."},
    {Option::nccl_cupti, "NCCL_CUPTI", OptionKind::boolean, "off",
     "Says whether CUPTI tells the NCCL plugin which kernels the GPU ran for NCCL, and when. CUPTI then watches all "
     "kernels of the program. More in docs/nccl.md."},
    {Option::nccl_events, "NCCL_EVENTS", OptionKind::nccl_events, "api,coll,p2p,kernel",
     "Which events the NCCL plugin asks NCCL for, separated by commas. kernel says when the GPU did the work; all "
     "asks for everything. More in docs/nccl.md."},
    {Option::pctrace, "PCTRACE", OptionKind::call_levels, "all",
     "How many levels of the call stack above MPI calls are recorded, as LEVELS or SKIP:LEVELS up to 15, all, on (0:1, "
     "the place of the call), or off. They are recorded for the calls that take most of the time, not for every call."},
    {Option::piggyback, "PIGGYBACK", OptionKind::piggyback, "off",
     "Says whether messages carry the delay of their sender, and the number of its record. With on, messages up to "
     "VT_PIGGYBACK_COPY_MAX do. struct and packed make all messages carry them, by a datatype around the data or by a "
     "copy of the data. message sends them as a message of its own, for comparison. The delays that are computed from "
     "the trace need none of this. More in docs/piggyback.md."},
    {Option::piggyback_collectives, "PIGGYBACK_COLLECTIVES", OptionKind::boolean, "off",
     "Says whether blocking collectives carry delays, too. A collective of 16 bytes is then sent before each of "
     "them. Only the delays that are noted while the program runs need this. Every member must then take part in "
     "every collective, even in one that a rank calls by mistake."},
    {Option::piggyback_copy_max, "PIGGYBACK_COPY_MAX", OptionKind::bytes, "2KB",
     "The largest message that carries a delay; its data is copied into a buffer after the delay. Larger messages "
     "travel as they are. The ranks agree on the smallest value that any of them has, and on at least 64 bytes."},
    {Option::postproc, "POSTPROC", OptionKind::boolean, "on",
     "Says whether the trace is finished inside MPI_Finalize: all ranks are put on one clock, which the messages of "
     "the run correct. off leaves this to `tactus finish`."},
    {Option::postproc_max, "POSTPROC_MAX", OptionKind::duration, "60s",
     "How long finishing the trace inside MPI_Finalize may take. After that it stops, and `tactus finish` can do it."},
    {Option::process, "PROCESS", OptionKind::process_rules, "0:N on",
     "Which ranks record. A rule names ranks as FIRST:LAST:STEP, where N is the last rank, and a state. off lasts "
     "until VT_traceon is called; no and discard last for the whole run. The last rule that names a rank holds. More "
     "in docs/filters.md."},
    {Option::progname, "PROGNAME", OptionKind::text, "",
     "The name of the program, as the trace has it and is named after it. Default: the name in the command line."},
    {Option::sampling, "SAMPLING", OptionKind::sampling, "50",
     "How many times in each second on a core the kernel looks at what a thread is doing, from 1 to 200, or off. "
     "Threads that are blocked are looked at 20 times a second. Where the kernel does not allow the first, "
     "`tactus info` says so."},
    {Option::state, "STATE", OptionKind::state_rules, "",
     "Says whether functions are recorded whose CLASS:NAME matches a pattern, as in MPI:*send off. The last rule "
     "that matches holds. A function that no rule matches is recorded. More in docs/filters.md."},
    {Option::symbol, "SYMBOL", OptionKind::symbol_rules, "",
     "Says whether functions of a name are recorded, as in MPI_Iprobe off. SYMBOL p means the same as STATE **:p. "
     "More in docs/filters.md."},
    {Option::sync_fit, "SYNC_FIT", OptionKind::fit, "interval",
     "How the measured clocks are put on one time. interval uses hard bounds; itac does it as Intel's collector did. "
     "`--fit` chooses again when a trace is read. More in docs/clocks.md."},
    {Option::sync_max_duration, "SYNC_MAX_DURATION", OptionKind::time, "1m",
     "How long the exchanges of one round of clock measurements may take. A round may be repeated twice. It is also "
     "the time after which VT_timesync names the ranks that did not call it. 0 measures by barriers instead of "
     "messages."},
    {Option::sync_max_messages, "SYNC_MAX_MESSAGES", OptionKind::count, "100",
     "How many messages a rank and its master exchange in a round, at most 100,000."},
    {Option::sync_period, "SYNC_PERIOD", OptionKind::period, "off",
     "How often clocks are measured during the run. A measurement takes place inside the first blocking collective "
     "of MPI_COMM_WORLD after the time has passed."},
    {Option::sync_topology, "SYNC_TOPOLOGY", OptionKind::topology, "auto",
     "Which rank measures its clock against which. star measures all ranks against rank 0. tree is a binomial tree, "
     "which takes log2 of the number of clocks in steps. auto is a tree for more than 32 clocks."},
    {Option::synced_cluster, "SYNCED_CLUSTER", OptionKind::boolean, "off",
     "Says that the dates of all hosts agree, for example by PTP. Nothing is measured then, and the date of each "
     "host is taken."},
    {Option::synced_host, "SYNCED_HOST", OptionKind::synced_host, "auto",
     "Says whether all ranks of a host share a clock, so that only one of them is measured. auto finds out: they do "
     "when host and timer are the same and their messages agree."},
    {Option::test_clock, "TEST_CLOCK", OptionKind::test_clock, "",
     "For tests: makes the clocks of ranks wrong in a known way, as in "
     "RANKS:offset=1ms,ppm=20,sine=20us/40s,slew=5ppm@3s,step=50us@4s,host=b. Further ranks follow after ';'."},
    {Option::test_overhead, "TEST_OVERHEAD", OptionKind::time, "0",
     "For tests: makes every recorded call slower by this time, which passes before its record begins."},
    {Option::timer, "TIMER", OptionKind::timer, "",
     "The clock for time stamps. LIST prints what a reading of each clock costs on this machine. CPU or CPU_Norm "
     "is the counter of the processor: TSC on x86-64, CNTVCT on ARM. Default: that counter where it is steady, else "
     "CLOCK_MONOTONIC. More in docs/clocks.md."},
    {Option::time_windows, "TIME_WINDOWS", OptionKind::time_windows, "",
     "When calls are recorded, in time since the start of the trace. Default: always. More in docs/filters.md."},
    {Option::verbose, "VERBOSE", OptionKind::verbosity, "off",
     "Says at the start and at the end of the run where the trace is. Intel's levels are taken, too: 0 is off, and 1 "
     "to "
     "4 are on."},
    {Option::waits, "WAITS", OptionKind::boolean, "on",
     "Says whether finishing a trace also finds out who waited for whom. More in docs/waits.md."},
});

// Variables that tactus itself sets. They are not meant for users, and they are not reported as unknown.
inline constexpr auto internal_variables = std::to_array<std::string_view>({"VT_TACTUS_RUN"});
static_assert(in_step(option_table, &OptionRow::option));

} // namespace tactus
