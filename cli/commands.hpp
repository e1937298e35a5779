// The subcommands of `tactus`: the request of each, and the function that carries it out. Each function returns the
// exit status (cli/exit_code.hpp), and prints what went wrong to standard error, one line for each problem.
#pragma once

#include "cli/presets.hpp"
#include "cli/viewer/drawing.hpp"
#include "postproc/export/otf2_import.hpp"
#include "postproc/view/rows.hpp"
#include "trace/time_map.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct InfoRequest {
    std::string trace;
    bool json = false;
};
int info(const InfoRequest& request);

// Which times to show.
enum class Times {
    raw,         // on each rank's own clock, by its host's date
    corrected,   // on one clock
    compensated, // on one clock, as they would have been without the tracer
    noted        // like compensated, but by the delays that the threads noted while the program ran
};

inline constexpr auto times_names = std::to_array<const char*>({"raw", "corrected", "compensated", "noted"});

struct ReportRequest {
    std::string trace;
    bool json = false;
    std::string html;             // a file to write in place of text; empty: no file
    std::optional<Fit> fit;       // of the clocks; empty: as the run left them
    std::optional<Times> times;   // compensated, the default: beside the measured times; otherwise measured times only
    std::optional<double> from_s; // since the earliest start of a rank; empty: from the beginning of the run
    std::optional<double> to_s;   // empty: to the end of the run
    // Latency and bandwidth of another network, for which the report predicts the run time. If only one is given, the
    // other is that of an ideal network.
    std::optional<double> latency_s;
    std::optional<double> bandwidth; // bytes per second
};
int report(const ReportRequest& request);

// Limits as shares from 0 to 1.
struct CheckRequest {
    std::string trace;
    std::optional<double> max_wait;       // of the time of all ranks and threads
    std::optional<double> min_efficiency; // parallel efficiency
};
int check(const CheckRequest& request);

// Compares two traces.
struct DiffRequest {
    std::vector<std::string> traces; // two or more; the first is what the others are compared with
    bool json = false;
    bool weak = false;               // with more ranks a run has more to compute
    std::optional<double> threshold; // share by which the second may take longer from MPI_Init to MPI_Finalize
};
int diff(const DiffRequest& request);

struct DumpRequest {
    std::string trace;
    std::vector<unsigned> ranks;  // empty: all
    std::optional<double> from_s; // since the earliest start of a rank
    std::optional<double> to_s;
    std::vector<std::string> functions; // with or without "MPI_"; empty: all
    bool events = false;
    std::optional<Fit> fit;
    std::optional<Times> times; // empty: corrected
};
int dump(const DumpRequest& request);

struct TimelineRequest {
    std::string trace;
    bool json = false;
    std::optional<double> from_s; // since the earliest start of a rank; empty: from the first record
    std::optional<double> to_s;
    std::optional<std::uint32_t> pixels; // width of the time axis; empty: 100 letters, or 1,024 pixels with `json`
    std::uint32_t pixels_a_slot = 1;
    std::uint32_t messages = 8192; // with `json`: the most messages, waits and collectives, of each; 0: none
    std::uint32_t values = 65536;  // with `json`: the most values of counters; 0: none
    bool at_once = false;          // uses wider slots where narrow ones would take a while (ViewRequest)
    RowsBy rows = RowsBy::processes;
    std::vector<std::string> groups; // a row for each of these lists of ranks, such as "0-3,8"; empty: by `rows`
    std::optional<Times> times;      // raw, corrected or compensated; empty: corrected
    std::optional<Drawing> drawing;  // makes a drawing in place of text
    std::string file;                // to which the drawing is written
    bool critical_path = false;      // shown in the drawing
};
int timeline(const TimelineRequest& request);

struct ViewTracesRequest {
    std::vector<std::string> traces; // one, or two to be compared
    std::uint16_t port = 0;          // 0: any free port
    TimelineRequest picture;         // if it has a drawing, that is made in place of the page
};
int view_traces(const ViewTracesRequest& request);

struct ClocksRequest {
    std::string trace;
    bool json = false;
    std::optional<Fit> fit;
    std::string svg; // a file to write; empty: no file
};
int clocks(const ClocksRequest& request);

struct WhereRequest {
    std::string trace;
};
int where(const WhereRequest& request);

struct RecoverRequest {
    std::vector<std::string> paths; // the trace; with `list` more folders to look into, possibly none
    bool list = false;
    bool other_hosts = false;
};
int recover(const RecoverRequest& request);

struct FinishRequest {
    std::string trace;
    std::string mpi;           // the launcher's MPI, or "none"; empty: as the launcher's environment says
    std::uint32_t threads = 0; // of a process that works alone; 0: by the number of ranks and cores
    bool quiet = false;        // prints only what went wrong
};
int finish(const FinishRequest& request);

enum class ExportFormat { otf2, perfetto, csv };

struct ExportRequest {
    std::string trace;
    std::string out; // a path that does not exist yet; for a single table also "-"
    ExportFormat format{};
    std::string table;          // name of the CSV table; "all": all tables, in a folder
    std::optional<Times> times; // empty: corrected
    std::optional<Fit> fit;     // raw with Times::raw, otherwise empty
};
int export_trace(const ExportRequest& request);

struct ImportRequest {
    std::string archive;
    std::string trace; // a path that does not exist yet
    ArchiveClocks clocks = ArchiveClocks::one;
};
int import_trace(const ImportRequest& request);

struct OptionsRequest {
    bool intel = false;    // those of Intel's collector
    bool markdown = false; // as in docs/
};
int print_options(const OptionsRequest& request);

struct RunRequest {
    std::optional<std::string> mpi; // --mpi
    bool nccl = false;
    std::string name; // of the trace; empty: by VT_LOGFILE_NAME or the program
    std::vector<Preset> presets;
    std::vector<std::string> command;
};
int run(const RunRequest& request);

} // namespace tactus
