// `tactus timeline`: shows what each thread, process or group did over time, in the detail that fits a picture.
#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/viewer/served_trace.hpp"
#include "cli/viewer/timeline_text.hpp"
#include "cli/window.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "postproc/view/rows.hpp"

#include <fmt/format.h>

namespace tactus {
namespace {

Result<std::vector<ViewRow>> wanted_rows(const TimelineRequest& request, const TimedTrace& timed) {
    std::vector<ViewRow> rows;
    for (const std::string& ranks : request.groups) {
        auto row = row_of_ranks(timed.trace, timed.time_line, ranks);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    if (rows.empty()) return rows_by(timed.trace, timed.time_line, request.rows);
    return rows;
}

// The caller sets `pixels`.
Result<ViewRequest> wanted_view(const TimelineRequest& request, const TimedTrace& timed) {
    ViewRequest wanted;
    wanted.from = request.from_s ? time_at(timed.trace, *request.from_s) : timed.time_line.begin();
    wanted.to = request.to_s ? time_at(timed.trace, *request.to_s) : timed.time_line.end();
    if (timed.time_line.end() <= timed.time_line.begin()) { // no record, or one that takes no time
        wanted.from = timed.time_line.begin();
        wanted.to = add_ns(wanted.from, 1e6);
    }
    if (wanted.to <= wanted.from) return Error{.what = nothing_between};
    wanted.pixels_a_slot = request.pixels_a_slot;
    wanted.most_links = request.messages;
    wanted.most_values = request.values;
    wanted.gather_links = !request.at_once;
    if (request.at_once) wanted.most_read = ViewRequest::quickly_read;
    auto rows = wanted_rows(request, timed);
    if (!rows) return rows.error();
    wanted.rows = std::move(*rows);
    return wanted;
}

// Returns text such as "app.tactus: 1.200 s to 1.300 s of 4.500 s, slots of 1.050 ms".
std::string title_of(const TimedTrace& timed, const ViewRequest& wanted, const View& seen) {
    const auto length = [](GlobalTime time) { return duration_text(1e-9 * to_ns(time)); };
    const auto since_begin = [&](GlobalTime time) { return length(time - timed.trace.zero); };
    return fmt::format("{}: {} to {} of {}, slots of {}", file_name(timed.trace.path), since_begin(wanted.from),
                       since_begin(wanted.to), since_begin(timed.time_line.end()),
                       length(GlobalTime{1} << seen.width_bits));
}

Result<std::string> drawn(const TimelineRequest& request, const TimedTrace& timed, const ViewRequest& wanted,
                          const View& seen) {
    Drawing drawing = *request.drawing;
    drawing.title = title_of(timed, wanted, seen);
    if (request.critical_path)
        if (const auto waits = waits_of(timed.trace, {})) drawing.path = waits->path;
    return draw({.trace = timed.trace,
                 .time_line = timed.time_line,
                 .names = timed.names,
                 .functions = timed.functions,
                 .request = wanted,
                 .view = seen},
                drawing);
}

} // namespace

Result<std::string> timeline_svg(const TimedTrace& timed, const Window& part) {
    TimelineRequest request;
    request.drawing = Drawing{};
    request.messages = 2000;
    request.values = 0;
    auto wanted = wanted_view(request, timed);
    if (!wanted) return wanted.error();
    wanted->from = part.from.value_or(wanted->from);
    wanted->to = part.to.value_or(wanted->to);
    wanted->pixels = pixels_of(*request.drawing, wanted->rows);
    return drawn(request, timed, *wanted, view(timed.time_line, timed.names, *wanted));
}

int timeline(const TimelineRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    const TimedTrace timed{std::move(*trace), request.times.value_or(Times::corrected)};
    const bool letters = !request.json && !request.drawing;
    auto wanted = wanted_view(request, timed);
    if (!wanted) return misused(wanted.error().line());
    const bool empty = volume_of(timed.trace).records == 0;
    if (empty)
        fmt::print(stderr, "tactus: {}: the trace has no records, so there is nothing to show\n",
                   printable(timed.trace.path));
    wanted->pixels =
        request.drawing ? pixels_of(*request.drawing, wanted->rows) : request.pixels.value_or(letters ? 100 : 1024);
    if (letters) wanted->most_links = wanted->most_values = 0;
    const View seen = view(timed.time_line, timed.names, *wanted);
    const ViewedTrace viewed{timed.trace, timed.time_line, timed.names, *wanted, seen};
    std::vector<Error> problems = timed.trace.problems;
    if (request.drawing) {
        const auto bytes = drawn(request, timed, *wanted, seen);
        const Outcome written = bytes ? write_file(request.file, *bytes) : Outcome{bytes.error()};
        if (!written) keep_error(problems, written.error());
    } else if (request.json) {
        print_json(timeline_json(viewed));
    } else if (!empty) {
        fmt::print("{}", timeline_text(viewed));
    }
    for (const Error& problem : timed.time_line.problems()) problems.push_back(problem);
    return tell(problems);
}

} // namespace tactus
