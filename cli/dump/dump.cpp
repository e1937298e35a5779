// `tactus dump`: prints the records of a trace as text, one line for each record or for each event.
#include "base/grammar.hpp"
#include "cli/commands.hpp"
#include "cli/dump/dump_merge.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "clocksync/trace_clocks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tactus {
namespace {

Result<Function> function_named(const std::string& name) {
    for (std::size_t i = 0; i < function_count; ++i) {
        const std::string_view known = functions[i].name;
        if (equal_ignoring_case(name, known) || equal_ignoring_case(name, known.substr(4)))
            return static_cast<Function>(i);
    }
    return Error{.what = fmt::format("'{}' is no MPI function that tactus knows", name),
                 .advice = "write it as the standard does, such as MPI_Send"};
}

Result<DumpFilter> filter_of(const DumpRequest& request) {
    DumpFilter filter{.functions = {}, .events = request.events};
    if (request.from_s) filter.from_s = *request.from_s;
    if (request.to_s) filter.to_s = *request.to_s;
    if (filter.to_s < filter.from_s) return Error{.what = "--to lies before --from"};
    for (const std::string& name : request.functions) {
        const auto function = function_named(name);
        if (!function) return function.error();
        filter.functions.push_back(*function);
    }
    return filter;
}

Result<std::vector<const RankFile*>> chosen_ranks(const Trace& trace, const std::vector<unsigned>& wanted) {
    std::vector<const RankFile*> chosen;
    for (const RankFile& file : trace.ranks)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), file.header().rank) != wanted.end())
            chosen.push_back(&file);
    for (const unsigned rank : wanted) {
        const auto same = [&](const RankFile* file) { return file->header().rank == rank; };
        if (std::none_of(chosen.begin(), chosen.end(), same))
            return Error{.what = fmt::format("--rank {}: the trace has no such rank (it has {}, first {}, last {})",
                                             rank, trace.ranks.size(), trace.ranks.front().header().rank,
                                             trace.ranks.back().header().rank)};
    }
    return chosen;
}

} // namespace

int dump(const DumpRequest& request) {
    auto filter = filter_of(request);
    if (!filter) return misused(filter.error().line());
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    put_on_one_clock(*trace, request.fit);
    const auto chosen = chosen_ranks(*trace, request.ranks);
    if (!chosen) return misused(chosen.error().line());
    std::vector<Error> problems = trace->problems;
    DelayLines delays;
    if (request.times == Times::compensated || request.times == Times::noted) {
        auto found = delay_lines(*trace, request.times == Times::noted ? DelaySource::noted : DelaySource::computed);
        if (!found) return fail(found.error());
        delays = std::move(*found);
        filter->delays = &delays;
    }
    merge_lines(
        *chosen, *filter, trace->zero, [](const DumpLine& line) { fmt::print("{}\n", line.text); }, problems);
    return tell(problems);
}

} // namespace tactus
