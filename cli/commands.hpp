// The subcommands of `tactus`: what each can be asked, and the function that does it. Each gives the exit status and
// has said what went wrong, if anything, in lines on standard error.
#pragma once

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
    raw,         // each rank's own clock, by its host's date
    corrected,   // on one clock
    compensated, // and without the tracer
    noted        // the same by what the threads noted while the program ran
};

inline constexpr auto times_names = std::to_array<const char*>({"raw", "corrected", "compensated", "noted"});

struct ReportRequest {
    std::string trace;
    bool json = false;
    std::string html;             // a file to write in place of text; empty: none
    std::optional<Fit> fit;       // of the clocks; none: as the run left them
    std::optional<Times> times;   // compensated: beside those that were measured, which is meant where nothing is said
    std::optional<double> from_s; // since the earliest start of a rank; none: all of the run before `to_s`
    std::optional<double> to_s;   // none: all behind `from_s`
    // Of a network to ask about; none: an ideal one's
    std::optional<double> latency_s;
    std::optional<double> bandwidth; // bytes a second
};
int report(const ReportRequest& request);

// Shares, 1 being all.
struct CheckRequest {
    std::string trace;
    std::optional<double> max_wait;       // of the ranks' time between MPI_Init and MPI_Finalize
    std::optional<double> min_efficiency; // parallel
};
int check(const CheckRequest& request);

// What changed from a trace to another.
struct DiffRequest {
    std::string before;
    std::string after;
    bool json = false;
    std::optional<double> threshold; // by how much more, of the time from MPI_Init to MPI_Finalize, B may take
};
int diff(const DiffRequest& request);

struct DumpRequest {
    std::string trace;
    std::vector<unsigned> ranks;  // none: all
    std::optional<double> from_s; // since the earliest start of a rank
    std::optional<double> to_s;
    std::vector<std::string> functions; // with or without "MPI_"; none: all
    bool events = false;
    std::optional<Fit> fit;
    std::optional<Times> times; // none: corrected
};
int dump(const DumpRequest& request);

struct TimelineRequest {
    std::string trace;
    bool json = false;
    std::optional<double> from_s; // since the earliest start of a rank; none: of the first record
    std::optional<double> to_s;
    std::optional<std::uint32_t> pixels; // that time has; none: 100 letters, or 1,024 for programs
    std::uint32_t pixels_a_slot = 1;
    std::uint32_t messages = 8192; // for programs: at most, and so many waits and collectives; 0: none
    std::uint32_t values = 65536;  // of counters, likewise
    bool at_once = false;          // what takes a while is shown in wider slots (ViewRequest)
    RowsBy rows = RowsBy::processes;
    std::vector<std::string> groups; // ranks such as "0-3,8", a row each; none: by `rows`
    std::optional<Times> times;      // raw, corrected or compensated; none: corrected
    std::optional<Drawing> drawing;  // to make in place of text
    std::string file;                // for it
    bool critical_path = false;      // in the drawing
};
int timeline(const TimelineRequest& request);

struct ViewTracesRequest {
    std::vector<std::string> traces; // one, or two to be compared
    std::uint16_t port = 0;          // 0: any that is free
    TimelineRequest picture;         // with a drawing: that is made in place of the page
};
int view_traces(const ViewTracesRequest& request);

struct ClocksRequest {
    std::string trace;
    bool json = false;
    std::optional<Fit> fit;
    std::string svg; // a file to write; empty: none
};
int clocks(const ClocksRequest& request);

struct WhereRequest {
    std::string trace;
};
int where(const WhereRequest& request);

struct RecoverRequest {
    std::vector<std::string> paths; // the trace; with `list` folders to look into, perhaps none
    bool list = false;
    bool other_hosts = false;
};
int recover(const RecoverRequest& request);

struct FinishRequest {
    std::string trace;
    std::string mpi;           // of the launcher, or "none"; empty: as its environment says
    std::uint32_t threads = 0; // of one process; 0: as many as cores
};
int finish(const FinishRequest& request);

enum class ExportFormat { otf2, perfetto, csv };

struct ExportRequest {
    std::string trace;
    std::string out; // a name that does not exist yet; of a table also "-"
    ExportFormat format{};
    std::string table;          // of CSV; "all": all of them, in a folder
    std::optional<Times> times; // none: corrected
    std::optional<Fit> fit;     // raw with Times::raw, else none
};
int export_trace(const ExportRequest& request);

struct ImportRequest {
    std::string archive;
    std::string trace; // does not exist yet
    ArchiveClocks clocks = ArchiveClocks::one;
};
int import_trace(const ImportRequest& request);

int print_options();

struct RunRequest {
    std::optional<std::string> mpi; // --mpi
    bool nccl = false;
    std::vector<std::string> command;
};
int run(const RunRequest& request);

} // namespace tactus
