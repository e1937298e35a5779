// The two forms of a report. Both walk the same profile.
#pragma once

#include "cli/commands.hpp"
#include "cli/source_lines.hpp"
#include "cli/window.hpp"
#include "postproc/compensate/compensated_run.hpp"
#include "postproc/nccl/summary.hpp"
#include "postproc/profile/losses.hpp"
#include "postproc/profile/profile.hpp"
#include "postproc/waits/run_waits.hpp"
#include "trace/rank_file.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct Report {
    const Trace& trace;
    Profile profile;
    std::vector<LossCount> losses;
    SourceLines& lines;
    std::optional<CompensatedRun> compensated;
    std::optional<CompensatedRun> noted; // the same by what the threads noted while the program ran

    std::optional<RunWaits> waits; // of a trace that was finished

    std::optional<NcclSummary> nccl; // of a trace that has any

    bool as_finished = true; // the clocks are those that the trace has

    std::optional<WindowShown> window; // what the profile is of; the rest of what is there is of the whole run

    // Waits are replayed where the clocks are those that the trace has. `sources` outlives it.
    Report(const Trace& of, SourceLines& sources, std::optional<Times> times, const std::optional<Network>& network,
           bool finished_clocks);
    // Of a part of the run, without what is known only of the whole: waits, and what would be without the tracer.
    Report(const Trace& of, SourceLines& sources, const Window& part, bool finished_clocks);
    // Of NCCL alone, or of an MPI program.
    [[nodiscard]] bool has_mpi() const { return !trace.ranks.front().header().mpi.empty() || profile.all.calls > 0; }
    // What is wrong with the trace, with its blocks, and with the files for source lines.
    [[nodiscard]] std::vector<std::string> problems() const;
};

// What is most worth knowing; empty: nothing is known.
struct ReportSentences {
    std::string efficiency;
    std::string loss;
    std::string root;
    std::string clock;
};
ReportSentences sentences_of(Report& report);

void print_report_text(Report& report);
nlohmann::ordered_json report_json(Report& report);

} // namespace tactus
