// `tactus export`: a trace for other tools.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "clocksync/trace_clocks.hpp"
#include "export/otf2_export.hpp"
#include "export/perfetto.hpp"
#include "postproc/compensate/delay_lines.hpp"

#include <fmt/format.h>
#include <optional>

namespace tactus {
namespace {

// What the format could not say, in one line; it is no fault of the trace.
void tell_not_said(const std::string& out, const NotSaid& not_said) {
    if (!not_said.empty()) fmt::print(stderr, "tactus: {}: not in it: {}\n", out, printable(not_said.line()));
}

int finished(const ExportRequest& request, const Trace& trace, const Result<Exported>& exported) {
    if (!exported) return fail(exported.error());
    fmt::print("{}: {} events\n", request.out, exported->events);
    tell_not_said(request.out, exported->not_said);
    std::vector<Error> problems = trace.problems;
    problems.insert(problems.end(), exported->unreadable.begin(), exported->unreadable.end());
    return tell(problems);
}

} // namespace

int export_trace(const ExportRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    const Times times = request.times.value_or(Times::corrected);
    put_on_one_clock(*trace, request.fit);
    std::optional<DelayLines> delays;
    if (times == Times::compensated) delays = delay_lines(*trace, DelaySource::computed);
    const StepClock clock{begin_of(*trace), delays ? &*delays : nullptr};
    if (request.format == ExportFormat::perfetto)
        return finished(request, *trace, export_perfetto(*trace, clock, request.out));
    return finished(request, *trace, export_otf2(*trace, clock, request.out));
}

} // namespace tactus
