// `tactus timeline`: what each thread, process or group did over time, by the level of detail that fits a picture.
#include "cli/commands.hpp"
#include "cli/messages.hpp"
#include "cli/timeline_text.hpp"
#include "cli/window.hpp"
#include "clocksync/trace_clocks.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "postproc/view/rows.hpp"

#include <fmt/format.h>

namespace tactus {
namespace {

void tell_if_long(const Trace& trace, const char* what) {
    constexpr std::uint64_t many = 10'000'000; // records: some seconds
    const std::uint64_t records = volume_of(trace).records;
    if (records >= many)
        fmt::print(stderr, "tactus: {}, once, for {}: {:.0f} million records\n", what, trace.path,
                   static_cast<double>(records) / 1e6);
}

Result<std::vector<ViewRow>> wanted_rows(const TimelineRequest& request, const Trace& trace,
                                         const TimeLine& time_line) {
    std::vector<ViewRow> rows;
    for (const std::string& ranks : request.groups) {
        auto row = row_of_ranks(trace, time_line, ranks);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    if (rows.empty()) return rows_by(trace, time_line, request.rows);
    return rows;
}

} // namespace

int timeline(const TimelineRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    put_on_one_clock(*trace, request.times == Times::raw ? std::optional{Fit::raw} : std::nullopt);
    const TimeLine time_line{*trace,
                             request.times == Times::compensated ? TimesShown::compensated : TimesShown::measured,
                             [&](const char* what) { tell_if_long(*trace, what); }};
    ViewRequest wanted;
    wanted.from = request.from_s ? time_at(*trace, *request.from_s) : time_line.begin();
    wanted.to = request.to_s ? time_at(*trace, *request.to_s) : time_line.end();
    if (wanted.to <= wanted.from)
        return misused(request.from_s || request.to_s ? nothing_between : "the trace has no records");
    wanted.pixels = request.pixels.value_or(request.json ? 1024 : 100);
    wanted.pixels_a_slot = request.pixels_a_slot;
    if (request.json) {
        wanted.most_links = request.messages;
        wanted.most_values = request.values;
    }
    wanted.gather_links = !request.at_once;
    auto rows = wanted_rows(request, *trace, time_line);
    if (!rows) return misused(rows.error().line());
    wanted.rows = std::move(*rows);
    const FunctionNames names{*trace};
    const View seen = view(time_line, names, wanted);
    const ViewedTrace viewed{*trace, time_line, names, wanted, seen};
    if (request.json)
        fmt::print("{}\n", timeline_json(viewed).dump(1));
    else
        fmt::print("{}", timeline_text(viewed));
    std::vector<Error> problems = trace->problems;
    for (const Error& problem : time_line.problems()) problems.push_back(problem);
    return tell(problems);
}

} // namespace tactus
