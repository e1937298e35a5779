// `tactus export`: writes a trace in the formats of other tools.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/source_lines.hpp"
#include "clocksync/trace_clocks.hpp"
#include "postproc/compensate/delay_lines.hpp"
#include "postproc/export/csv.hpp"
#include "postproc/export/otf2_export.hpp"
#include "postproc/export/perfetto.hpp"

#include <fmt/format.h>
#include <optional>

namespace tactus {
namespace {

// Prints in one line what the format cannot express. This does not change the exit status.
void tell_not_said(const std::string& out, const NotSaid& not_said) {
    if (!not_said.empty()) fmt::print(stderr, "tactus: {}: not in it: {}\n", out, printable(not_said.line()));
}

Result<Exported> write(const ExportRequest& request, const Trace& trace, const StepClock& clock) {
    if (request.format == ExportFormat::otf2) return export_otf2(trace, clock, request.out);
    SourceLines lines{trace.path};
    const PlaceNames names{.place = [&](const Place& place) { return lines.text(place); },
                           .function = [&](const Place& place) { return lines.find(place).function; },
                           .system_call = system_call_name};
    auto exported = request.format == ExportFormat::perfetto ? export_perfetto(trace, clock, request.out, names)
                    : request.table == "all"                 ? export_all_csv(trace, clock, request.out, names)
                                             : export_csv(trace, clock, request.table, request.out, names);
    for (const std::string& line : lines.untrusted()) fmt::print(stderr, "tactus: {}\n", printable(line));
    return exported;
}

} // namespace

int export_trace(const ExportRequest& request) {
    const bool table = request.format == ExportFormat::csv && request.table != "all";
    if (request.out == "-" && !table) return misused("only a table (--csv=NAME) goes to standard output");
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    put_on_one_clock(*trace, request.fit);
    std::optional<DelayLines> delays;
    if (request.times == Times::compensated) {
        auto found = delay_lines(*trace, DelaySource::computed);
        if (!found) return fail(found.error());
        delays = std::move(*found);
    }
    const StepClock clock{begin_of(*trace), delays ? &*delays : nullptr};
    const Result<Exported> exported = write(request, *trace, clock);
    if (!exported) return fail(exported.error());
    const char* const what = request.format == ExportFormat::csv ? "rows" : "events";
    if (request.out != "-") fmt::print("{}: {} {}\n", request.out, exported->events, what);
    tell_not_said(request.out, exported->not_said);
    std::vector<Error> problems = trace->problems;
    problems.insert(problems.end(), exported->unreadable.begin(), exported->unreadable.end());
    return tell(problems);
}

} // namespace tactus
