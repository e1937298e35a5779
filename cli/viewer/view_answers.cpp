#include "cli/viewer/view_answers.hpp"

#include "cli/clocks/clocks.hpp"
#include "cli/dump/dump_events.hpp"
#include "cli/messages.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/report.hpp"
#include "cli/trace_facts.hpp"
#include "cli/viewer/colors.hpp"
#include "cli/viewer/thread_calls.hpp"
#include "cli/viewer/view_source.hpp"
#include "cli/where_lanes.hpp"
#include "cli/where_text.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "postproc/view/rows.hpp"
#include "postproc/waits/run_waits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

Answer told(const Object& json) { return {.body = json_text(json, -1)}; }
Answer misunderstood(const Error& error) { return refused(400, error.line()); }

double seconds(const TimedTrace& timed, GlobalTime time) { return 1e-9 * ns_from(timed.trace.zero, time); }

// --- traces

Object rows_json(const TimedTrace& timed) {
    Object rows = Object::object();
    for (std::size_t by = 0; by < rows_by_names.size(); ++by) {
        Object& names = rows[rows_by_names[by]] = Object::array();
        for (const ViewRow& row : rows_by(timed.trace, timed.time_line, static_cast<RowsBy>(by)))
            names.push_back(row.name);
    }
    return rows;
}

// The calls that ranks were in that did not end in MPI_Finalize. Such a call is the last record of its thread.
Object unfinished_calls_json(const TimedTrace& timed) {
    Object calls = Object::array();
    for (std::size_t number = 0; number < timed.time_line.lines().size(); ++number) {
        const Line& line = timed.time_line.lines()[number];
        const RankFile& file = timed.trace.ranks[line.rank];
        const auto& totals = file.definitions().totals;
        if (line.blocks.empty() || (!totals.empty() && totals.front().ending == Ending::finalize)) continue;
        const auto block = file.read(line.blocks.back());
        if (!block || block->records.empty()) continue;
        const Record& last = block->records.back();
        if (last.what.kind != Kind::call || !last.what.has(flag::unfinished)) continue;
        calls.push_back({{"row", number},
                         {"rank", file.header().rank},
                         {"thread", line.lane},
                         {"text", record_text(file, last, block->words_of(block->records.size() - 1))},
                         {"begin_s", seconds(timed, line.clock->at(last.enter))}});
    }
    return calls;
}

// The calls that the ranks of a job that was killed, or that still runs, are in.
Object open_calls_json(ServedTrace& served) {
    const TimedTrace& timed = served.corrected();
    Object calls = unfinished_calls_json(timed);
    if (timed.trace.finished()) return calls; // Every file is closed, also those of recovered ranks.
    const auto& lines = timed.time_line.lines();
    for (const RankState& state : read_lanes(timed.trace))
        for (const LaneState& lane : state.lanes) {
            const std::string text =
                served.with_lines([&](SourceLines& sources) { return open_call_text(state, lane, sources); });
            if (text.empty()) continue;
            const auto row = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
                return timed.time_line.rank_of(line) == lane.lane.rank && line.lane == lane.lane.lane;
            });
            const Ticks enter = lane.lane.open.front().enter;
            calls.push_back({{"row", row == lines.end() ? Object() : Object(row - lines.begin())},
                             {"rank", lane.lane.rank},
                             {"thread", lane.lane.lane},
                             {"text", text},
                             {"begin_s", seconds(timed, state.file->clock().at(enter))}});
        }
    return calls;
}

// Colors in the order of `functions`, for light and for dark pages.
Object colors_json(const TimedTrace& timed) {
    Object light = Object::array();
    Object dark = Object::array();
    for (const std::string& name : timed.functions.names()) {
        light.push_back(hex(color_of(name, Theme::light)));
        dark.push_back(hex(color_of(name, Theme::dark)));
    }
    return {{"light", std::move(light)}, {"dark", std::move(dark)}};
}

Object counters_json(const TimedTrace& timed) {
    std::set<std::string> names;
    for (const RankFile& file : timed.trace.ranks)
        for (const Counter& counter : file.definitions().counters) names.insert(counter.name);
    return names;
}

// The names of the kinds of waits, by their keys.
Object wait_names_json() {
    Object names = Object::object();
    for (const WaitNames& names_of_kind : wait_names) names[names_of_kind.key] = names_of_kind.name;
    return names;
}

Object trace_json(ServedTrace& served) {
    const TimedTrace& timed = served.corrected();
    const Volume volume = volume_of(timed.trace);
    const std::string& path = timed.trace.path;
    return {{"name", path.substr(path.find_last_of('/') + 1)},
            {"path", path},
            {"program", timed.trace.ranks.front().header().program},
            {"ranks", timed.trace.ranks.size()},
            {"threads", timed.time_line.lines().size()},
            {"hosts", hosts_of(timed.trace)},
            {"calls", volume.calls},
            {"records", volume.records},
            {"begin_s", seconds(timed, timed.time_line.begin())},
            {"end_s", seconds(timed, timed.time_line.end())},
            {"finished", clock_quality(timed.trace) != nullptr},
            {"problems", problem_lines(timed.trace.problems)},
            {"functions", timed.functions.names()},
            {"colors", colors_json(timed)},
            {"wait_names", wait_names_json()},
            {"counters", counters_json(timed)},
            {"rows", rows_json(timed)},
            {"open_calls", open_calls_json(served)}};
}

// --- timeline

Result<std::vector<ViewRow>> wanted_rows(const Question& question, const TimedTrace& timed) {
    std::vector<ViewRow> rows;
    for (const std::string& ranks : question.all("group")) {
        auto row = row_of_ranks(timed.trace, timed.time_line, ranks);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    if (!rows.empty()) return rows;
    const std::string by = question.text("rows").value_or("processes");
    const auto known = std::find(rows_by_names.begin(), rows_by_names.end(), by);
    if (known == rows_by_names.end())
        return Error{.what = "rows=" + by + " is none of threads, processes, hosts, communicators and all"};
    return rows_by(timed.trace, timed.time_line, static_cast<RowsBy>(known - rows_by_names.begin()));
}

struct SecondsWindow {
    GlobalTime from = 0;
    GlobalTime to = 0;
};
Result<SecondsWindow> wanted_window(const Question& question, const TimedTrace& timed) {
    const auto from_s = question.number("from");
    if (!from_s) return from_s.error();
    const auto to_s = question.number("to");
    if (!to_s) return to_s.error();
    SecondsWindow window{timed.time_line.begin(), timed.time_line.end()};
    if (*from_s) window.from = time_at(timed.trace, **from_s);
    if (*to_s) window.to = time_at(timed.trace, **to_s);
    if (window.to <= window.from) return Error{.what = "there is nothing between from and to"};
    return window;
}

Result<Times> wanted_times(const Question& question) {
    const std::string name = question.text("time").value_or("corrected");
    for (const Times times : {Times::raw, Times::corrected, Times::compensated})
        if (name == times_names[static_cast<std::size_t>(times)]) return times;
    return Error{.what = "time=" + name + " is none of raw, corrected and compensated"};
}

Result<const TimedTrace*> wanted_timed(ServedTrace& served, const Question& question) {
    const auto times = wanted_times(question);
    if (!times) return times.error();
    return served.by(*times);
}

bool at_once(const Question& question) { return question.text("at_once") == "1"; }

Result<ViewRequest> wanted_view(const Question& question, const TimedTrace& timed, std::size_t& first_row) {
    constexpr std::uint64_t most_pixels = 16384;
    constexpr std::uint64_t most_sums = 1 << 20;
    constexpr std::uint64_t any = UINT32_MAX;
    const auto window = wanted_window(question, timed);
    if (!window) return window.error();
    const auto pixels = question.count("pixels", 1024, most_pixels);
    const auto messages = question.count("messages", 8192, most_sums);
    const auto values = question.count("values", 16384, most_sums);
    const auto first = question.count("first_row", 0, any);
    const auto count = question.count("row_count", any, any);
    for (const auto* number : {&pixels, &messages, &values, &first, &count})
        if (!*number) return number->error();
    auto rows = wanted_rows(question, timed);
    if (!rows) return rows.error();
    constexpr std::uint64_t most_slots = 1 << 22; // which take about 600 MB while they are added up
    first_row = std::min<std::size_t>(*first, rows->size());
    rows->erase(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(first_row));
    if (*count < rows->size()) rows->resize(*count);
    if (*pixels * rows->size() > most_slots)
        return Error{.what = fmt::format("{} pixels of {} rows are more than {}: ask for fewer", *pixels, rows->size(),
                                         most_slots)};
    constexpr double any_number = std::numeric_limits<double>::infinity();
    return ViewRequest{.from = window->from,
                       .to = window->to,
                       .pixels = static_cast<std::uint32_t>(std::max<std::uint64_t>(*pixels, 1)),
                       .rows = std::move(*rows),
                       .most_links = *messages,
                       .most_values = *values,
                       .most_read = at_once(question) ? ViewRequest::quickly_read : any_number,
                       .gather_links = false};
}

Answer timeline_answer(ServedTrace& served, const Question& question) {
    const auto timed = wanted_timed(served, question);
    if (!timed) return misunderstood(timed.error());
    const TimedTrace& of = **timed;
    std::size_t first_row = 0;
    const auto request = wanted_view(question, of, first_row);
    if (!request) return misunderstood(request.error());
    View seen = view(of.time_line, of.names, *request);
    const bool waits = std::any_of(seen.links.begin(), seen.links.end(),
                                   [](const LinksShown& links) { return links.wait_for_gathering; });
    const bool gathering = waits && (at_once(question) ? !of.links_are_ready() : of.gather_links());
    if (waits && !gathering && of.time_line.links().has_all()) // gathering ended after the first view()
        seen = view(of.time_line, of.names, *request);
    return {.type = "application/octet-stream",
            .body = picture_bytes({.trace = of.trace,
                                   .time_line = of.time_line,
                                   .names = of.names,
                                   .functions = of.functions,
                                   .request = *request,
                                   .view = seen,
                                   .first_row = first_row,
                                   .gathering = gathering})};
}

// --- single calls

Answer calls_answer(ServedTrace& served, const Question& question) {
    constexpr std::uint64_t most_calls = 5000;
    const auto wanted = wanted_timed(served, question);
    if (!wanted) return misunderstood(wanted.error());
    const TimedTrace& timed = **wanted;
    const auto window = wanted_window(question, timed);
    if (!window) return misunderstood(window.error());
    const auto line = question.count("row_thread", 0, timed.time_line.lines().size() - 1);
    const auto most = question.count("most", 200, most_calls);
    if (!line) return misunderstood(line.error());
    if (!most) return misunderstood(most.error());
    const ThreadCalls found = calls_between(timed.time_line, *line, window->from, window->to, *most);
    Object calls = Object::array();
    for (const ThreadCall& call : found.calls) {
        Object& object = calls.emplace_back(Object{{"begin_s", seconds(timed, call.begin)},
                                                   {"end_s", seconds(timed, call.end)},
                                                   {"function", call.function},
                                                   {"text", call.text}});
        if (!call.place) continue;
        served.with_lines([&](SourceLines& sources) {
            const SourceLine& at = sources.find(*call.place);
            const std::string text = sources.text(*call.place);
            served.remember(text, at);
            object["place"] = text;
            object["caller"] = at.function;
            object["file"] = at.file;
            object["line"] = at.line;
        });
    }
    return told({{"calls", std::move(calls)}, {"more", found.more}});
}

Answer find_answer(ServedTrace& served, const Question& question) {
    const auto by_time = wanted_timed(served, question);
    if (!by_time) return misunderstood(by_time.error());
    const TimedTrace& timed = **by_time;
    const auto after = question.number("after");
    const auto before = question.number("before");
    if (!after) return misunderstood(after.error());
    if (!before) return misunderstood(before.error());
    const auto line = question.count("row_thread", 0, timed.time_line.lines().size() - 1);
    if (!line) return misunderstood(line.error());
    const bool of_one = question.text("row_thread").has_value();
    const std::string name = question.text("name").value_or("");
    if (name.empty() && !of_one) return refused(400, "name= says what to look for");
    const Wanted wanted{.text = name,
                        .exact = question.text("exact") == "1",
                        .line = of_one ? std::optional<std::size_t>{*line} : std::nullopt,
                        .behind = !*before,
                        .time = *before  ? time_at(timed.trace, **before)
                                : *after ? time_at(timed.trace, **after)
                                         : timed.time_line.begin() - 1};
    const auto found =
        served.with_lines([&](SourceLines& sources) { return find_call(timed.time_line, wanted, sources); });
    if (!found) return told({{"found", nullptr}});
    const Line& thread = timed.time_line.lines()[found->line];
    return told({{"found",
                  {{"row_thread", found->line},
                   {"rank", timed.time_line.rank_of(thread)},
                   {"thread", thread.lane},
                   {"begin_s", seconds(timed, found->begin)},
                   {"end_s", seconds(timed, found->end)},
                   {"function", found->function}}}});
}

// --- sums

Answer profile_answer(ServedTrace& served, const Question& question) {
    const TimedTrace& timed = served.corrected();
    const bool whole = !question.text("from") && !question.text("to");
    const auto window = wanted_window(question, timed);
    if (!window) return misunderstood(window.error());
    return served.with_lines([&](SourceLines& sources) {
        Report report = whole ? Report{timed.trace, sources, Times::corrected, {}, true}
                              : Report{timed.trace, sources, Window{window->from, window->to}, true};
        Object json = report_json(report);
        for (const PlaceProfile& place : report.profile.places)
            served.remember(sources.text(place.place), sources.find(place.place));
        return told(json);
    });
}

Answer clocks_answer(ServedTrace& served, const Question&) {
    const Trace& trace = served.corrected().trace;
    return told(clocks_json(trace, clocks_facts(trace, {})));
}

// Answers with the longest pieces of the critical path, in the order of time.
Answer path_answer(ServedTrace& served, const Question&) {
    constexpr std::size_t most = 20'000;
    const TimedTrace& timed = served.corrected();
    std::vector<PathPiece> pieces;
    if (served.waits()) pieces = served.waits()->path;
    const std::size_t all = pieces.size();
    if (all > most) {
        const auto longer = [](const PathPiece& a, const PathPiece& b) { return a.to - a.from > b.to - b.from; };
        std::nth_element(pieces.begin(), pieces.begin() + most, pieces.end(), longer);
        pieces.resize(most);
        std::sort(pieces.begin(), pieces.end(), [](const PathPiece& a, const PathPiece& b) { return a.from < b.from; });
    }
    Object path = Object::array();
    for (const PathPiece& piece : pieces)
        path.push_back(
            {{"rank", piece.rank}, {"begin_s", seconds(timed, piece.from)}, {"end_s", seconds(timed, piece.to)}});
    return told({{"path", std::move(path)}, {"left_out", all - pieces.size()}});
}

} // namespace

void give_answers(PageServer& server, const ServedTraces& traces) {
    server.give("traces", [&](const Question&) {
        Object all = Object::array();
        for (const auto& trace : traces) all.push_back(trace_json(*trace));
        return told({{"traces", std::move(all)}});
    });
    const auto of_one = [&](const char* name, Answer (*answer)(ServedTrace&, const Question&)) {
        server.give(name, [&traces, answer](const Question& question) {
            const auto number = question.count("trace", 0, traces.size() - 1);
            if (!number) return misunderstood(number.error());
            return answer(*traces[*number], question);
        });
    };
    of_one("timeline", timeline_answer);
    of_one("calls", calls_answer);
    of_one("find", find_answer);
    of_one("profile", profile_answer);
    of_one("clocks", clocks_answer);
    of_one("path", path_answer);
    of_one("source", source_answer);
}

} // namespace tactus
