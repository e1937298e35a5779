// Every option of Intel's Trace Collector 2022.3, and what tactus does with it, so that its configuration files and
// environments go on working. Options that tactus has under the same name are in option_table.hpp, and here only for
// `tactus options --intel`. Names and meanings are from Intel's User and Reference Guide.
#pragma once

#include "base/result.hpp"

#include <array>
#include <string_view>

namespace tactus {

enum class IntelAnswer {
    same,        // tactus has it
    not_needed,  // tactus does without it, with the same result
    instead,     // tactus does something else, which `words` say
    later,       // not in this version: the value is checked, and kept in the trace
    environment, // no option: a variable that Intel's own scripts set
};

// The kinds of values of options that come later, so that a mistake in them is told already.
enum class IntelValue { any, boolean, time, count, rules };

struct IntelOption {
    std::string_view name;
    IntelAnswer answer;
    std::string_view initial; // at Intel's; with this value nothing needs to be said
    std::string_view words;   // what it is for, or what to use: a phrase that follows a colon
    IntelValue value = IntelValue::any;
};

inline constexpr std::string_view no_checks = "tactus does not check for errors in this version";
inline constexpr std::string_view own_stacks = "tactus has one way to find the callers of a call, a quick one";
inline constexpr std::string_view own_files = "a trace of tactus is a folder with one file a rank; `tactus export` "
                                              "writes other formats";
inline constexpr std::string_view own_memory = "tactus takes the memory that it needs, and writes while the program "
                                               "runs";

inline constexpr auto intel_options = std::to_array<IntelOption>({
    {"ACTIVITY", IntelAnswer::same, "", "whether the functions of a class are recorded"},
    {"ADD_LIBS", IntelAnswer::environment, "", "libraries to link with"},
    {"ALTSTACK", IntelAnswer::not_needed, "", "tactus needs no stack of its own for signals"},
    {"AUTOFLUSH", IntelAnswer::instead, "on",
     "tactus always writes full buffers to the trace; VT_TIME_WINDOWS and VT_traceoff limit what is recorded"},
    {"CHECK", IntelAnswer::later, "", no_checks, IntelValue::rules},
    {"CHECK_LEAK_REPORT_SIZE", IntelAnswer::later, "10", no_checks, IntelValue::count},
    {"CHECK_MAX_DATATYPES", IntelAnswer::later, "1000", no_checks, IntelValue::count},
    {"CHECK_MAX_ERRORS", IntelAnswer::later, "1", no_checks, IntelValue::count},
    {"CHECK_MAX_PENDING", IntelAnswer::later, "20", no_checks, IntelValue::count},
    {"CHECK_MAX_REPORTS", IntelAnswer::later, "100", no_checks, IntelValue::count},
    {"CHECK_MAX_REQUESTS", IntelAnswer::later, "100", no_checks, IntelValue::count},
    {"CHECK_SUPPRESSION_LIMIT", IntelAnswer::later, "10", no_checks, IntelValue::count},
    {"CHECK_TIMEOUT", IntelAnswer::later, "5s", no_checks, IntelValue::time},
    {"CHECK_TRACING", IntelAnswer::later, "off", no_checks, IntelValue::boolean},
    {"CLUSTER", IntelAnswer::instead, "", "tactus knows hosts by their names; --rows of `tactus view` groups ranks"},
    {"COMPRESS_RAW_DATA", IntelAnswer::not_needed, "off", own_files},
    {"CONFIG", IntelAnswer::same, "", "the configuration file"},
    {"CONFIG_RANK", IntelAnswer::not_needed, "0", "every rank reads the configuration file itself"},
    {"COUNTER", IntelAnswer::same, "", "which counters are recorded"},
    {"CURRENT_DIR", IntelAnswer::same, "", "the folder that relative names are taken from"},
    {"DEADLOCK_TIMEOUT", IntelAnswer::later, "1m",
     "tactus does not end a job that hangs in this version; `tactus where` shows in what each rank waits",
     IntelValue::time},
    {"DEADLOCK_WARNING", IntelAnswer::later, "5m",
     "tactus does not watch for jobs that hang in this version; `tactus where` shows in what each rank waits",
     IntelValue::time},
    {"DEMANGLE", IntelAnswer::not_needed, "off", "names of C++ are always shown as they are written"},
    {"DETAILED_STATES", IntelAnswer::instead, "off",
     "tactus records no states inside MPI calls; `tactus report` tells waiting from the rest of a call"},
    {"ENTER_USERCODE", IntelAnswer::not_needed, "on", "what is outside of MPI and regions is the application"},
    {"ENVIRONMENT", IntelAnswer::instead, "on", "tactus keeps its own options in the trace, and not the environment"},
    {"EXTENDED_VTF", IntelAnswer::not_needed, "off", own_files},
    {"FLUSH_PID", IntelAnswer::not_needed, "on", "the names of temporary files are always unique"},
    {"FLUSH_PREFIX", IntelAnswer::same, "", "the folder of temporary files"},
    {"FOLD", IntelAnswer::instead, "", "tactus does not fold functions; a filter keeps them out of the trace"},
    {"GROUP", IntelAnswer::instead, "", "--group of `tactus view` and `tactus timeline` makes a row of several ranks"},
    {"HANDLE_SIGNALS", IntelAnswer::not_needed, "all",
     "a trace survives every signal; where a program ends by SIGTERM, tactus ends the trace in order"},
    {"INTERNAL_MPI", IntelAnswer::not_needed, "on", "calls that the MPI makes itself are recorded inside the call"},
    {"ITFLOGFILE", IntelAnswer::not_needed, "off", own_files},
    {"KEEP_RAW_EVENTS", IntelAnswer::not_needed, "off",
     "a trace keeps its ticks as they were measured; --time raw shows them"},
    {"LIB_DIR", IntelAnswer::environment, "", "the folder of Intel's libraries"},
    {"LOGFILE_FORMAT", IntelAnswer::instead, "STF", own_files},
    {"LOGFILE_NAME", IntelAnswer::same, "", "the name of the trace; NAME.stf becomes NAME.stf.tactus"},
    {"LOGFILE_PREFIX", IntelAnswer::same, "", "the folder that the trace is put into"},
    {"LOGFILE_RANK", IntelAnswer::not_needed, "0", "every rank writes its own file"},
    {"MEM_BLOCKSIZE", IntelAnswer::not_needed, "64KB", own_memory},
    {"MEM_FLUSHBLOCKS", IntelAnswer::not_needed, "1024", own_memory},
    {"MEM_INFO", IntelAnswer::instead, "0", "`tactus info` says how much memory and time tracing took"},
    {"MEM_MAXBLOCKS", IntelAnswer::not_needed, "4096", own_memory},
    {"MEM_MINBLOCKS", IntelAnswer::not_needed, "0", own_memory},
    {"MEM_OVERWRITE", IntelAnswer::instead, "off",
     "tactus never overwrites what is recorded; VT_TIME_WINDOWS and VT_traceoff limit what is recorded"},
    {"MPI", IntelAnswer::environment, "", "the MPI that Intel's libraries are for"},
    {"NMCMD", IntelAnswer::not_needed, "nm -P", "tactus reads symbols itself"},
    {"OS_COUNTER_DELAY", IntelAnswer::instead, "1s",
     "each thread reads its counters itself, about a millisecond apart, when it makes calls"},
    {"PCTRACE", IntelAnswer::same, "off", "which levels of the call stack are recorded"},
    {"PCTRACE_CACHE", IntelAnswer::not_needed, "on", own_stacks},
    {"PCTRACE_FAST", IntelAnswer::not_needed, "on", own_stacks},
    {"PLUGIN", IntelAnswer::instead, "", "tactus has no plugins"},
    {"PROCESS", IntelAnswer::same, "0:N on", "which ranks are recorded"},
    {"PROGNAME", IntelAnswer::same, "", "the name of the program"},
    {"PROTOFILE_NAME", IntelAnswer::instead, "", "the trace has all options; `tactus info` shows them"},
    {"ROOT", IntelAnswer::environment, "", "the folder of Intel's collector"},
    {"SLIB_DIR", IntelAnswer::environment, "", "the folder of Intel's shared libraries"},
    {"STATE", IntelAnswer::same, "", "whether functions that match a pattern are recorded"},
    {"STATISTICS", IntelAnswer::instead, "off",
     "`tactus report` adds up the records of a trace; ranks that VT_PROCESS keeps out have none"},
    {"STF_PROCS_PER_FILE", IntelAnswer::not_needed, "16", own_files},
    {"STF_USE_HW_STRUCTURE", IntelAnswer::not_needed, "on", own_files},
    {"STOPFILE_NAME", IntelAnswer::instead, "",
     "tactus looks for no file that stops a run; SIGTERM ends a job with a whole trace"},
    {"SYMBOL", IntelAnswer::same, "", "whether functions of a name are recorded"},
    {"SYNCED_CLUSTER", IntelAnswer::same, "off", "that the dates of all hosts agree"},
    {"SYNCED_HOST", IntelAnswer::same, "off", "that all ranks of a host share a clock"},
    {"SYNC_MAX_DURATION", IntelAnswer::same, "1m", "how long a round of clock measurements may take"},
    {"SYNC_MAX_MESSAGES", IntelAnswer::same, "100", "how many messages a round of clock measurements takes"},
    {"SYNC_PERIOD", IntelAnswer::same, "-1s", "how often clocks are measured during the run"},
    {"SYNC_SKEW", IntelAnswer::not_needed, "", "VT_SYNC_FIT says how clocks are put on one time"},
    {"THREAD_LEVEL", IntelAnswer::instead, "1",
     "VT_initialize asks for MPI_THREAD_FUNNELED; a program that needs more calls MPI_Init_thread first"},
    {"TIMER", IntelAnswer::same, "gettimeofday", "the clock for time stamps"},
    {"TIMER_SKIP", IntelAnswer::not_needed, "", "tactus chooses the best clock that works; VT_TIMER names another"},
    {"TIME_WINDOWS", IntelAnswer::same, "", "when calls are recorded"},
    {"UNFOLD", IntelAnswer::instead, "", "tactus does not fold functions"},
    {"UNIFY_COUNTERS", IntelAnswer::not_needed, "on", "definitions of all ranks with one name are one"},
    {"UNIFY_GROUPS", IntelAnswer::not_needed, "on", "definitions of all ranks with one name are one"},
    {"UNIFY_SCLS", IntelAnswer::not_needed, "on", "definitions of all ranks with one name are one"},
    {"UNIFY_SYMBOLS", IntelAnswer::not_needed, "on", "definitions of all ranks with one name are one"},
    {"VERBOSE", IntelAnswer::same, "1", "how much is said about the run"},
});

// The option of that name (with '_', in capital letters); nullptr when Intel has none.
const IntelOption* intel_option(std::string_view name);

// Checks the value of an option that comes later.
Outcome check_intel_value(IntelValue kind, std::string_view value);

} // namespace tactus
