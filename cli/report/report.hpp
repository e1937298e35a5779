// What `tactus report` shows, and its two forms, text and JSON. Both are made from the same profile.
#pragma once

#include "cli/commands.hpp"
#include "cli/report/callers.hpp"
#include "cli/source_lines.hpp"
#include "cli/window.hpp"
#include "postproc/compensate/compensated_run.hpp"
#include "postproc/nccl/summary.hpp"
#include "postproc/profile/core_use.hpp"
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
    CoreUse cores; // of the whole run
    SourceLines& lines;
    Callers callers;
    std::optional<CompensatedRun> compensated;
    std::optional<Error> not_computed;   // why `compensated` is not there although it was asked for
    std::optional<CompensatedRun> noted; // like `compensated`, by the delays that the threads noted during the run

    std::optional<RunWaits> waits; // only if the trace was finished

    std::optional<NcclSummary> nccl; // only if the trace has records of NCCL

    bool as_finished = true; // the clocks are those that the trace stores, and not another fit

    std::optional<WindowShown> window; // the part that the profile is about; losses are about the whole run

    // Makes the report of the whole run. Waits are replayed if the clocks are those that the trace stores. `of` and
    // `sources` must outlive the report.
    Report(const Trace& of, SourceLines& sources, std::optional<Times> times, const std::optional<Network>& network,
           bool finished_clocks);
    // Makes the report of a part of the run. It lacks waits and compensated times, which are only known for the whole
    // run.
    Report(const Trace& of, SourceLines& sources, const Window& part, bool finished_clocks);
    Report(const Report&) = delete; // `callers` refers to the profile
    Report& operator=(const Report&) = delete;
    // False for a run with NCCL but without MPI.
    [[nodiscard]] bool has_mpi() const { return !trace.ranks.front().header().mpi.empty() || profile.all.calls > 0; }
    // Lists what is wrong with the trace and with its blocks.
    [[nodiscard]] std::vector<std::string> problems() const;
};

// The most important results, one sentence each. A sentence is empty if the result is not known.
struct ReportSentences {
    std::string finding; // the loss, or what is larger
    std::string time;
    std::string cores;
    std::string memory;  // that had to be read back from a disk
    std::string threads; // that wait for locks
    std::string efficiency;
    std::string loss;
    std::string root;
    std::string missing; // what is not known, and why
    std::string clock;
};
ReportSentences sentences_of(Report& report);

// Makes shares of waits shares of the time of all ranks and threads, as everything on the page is.
void take_base(RunWaits& waits, const Profile& profile);

// Says that processes of the run are missing, if the program started some, or returns an empty text.
std::string spawned_text(const Report& report);

void print_report_text(Report& report);
nlohmann::ordered_json report_json(Report& report);

} // namespace tactus
