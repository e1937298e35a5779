// `tactus where`: shows the call that each rank of a running, hung or dead job is in, from its lanes, without touching
// the job.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/where_lanes.hpp"
#include "cli/where_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

bool any_lane(const std::vector<RankState>& states) {
    return std::any_of(states.begin(), states.end(), [](const RankState& state) { return !state.lanes.empty(); });
}

} // namespace

int where(const WhereRequest& request) {
    const auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    const Header& header = trace->ranks.front().header();
    if (trace->finished()) {
        fmt::print("{}: the run is over, all {} closed their files in order; nothing is open (tactus report shows what "
                   "it did)\n",
                   printable(trace->path), plural(header.ranks, "rank", "ranks"));
        return exit_code::fine;
    }
    const std::vector<RankState> states = read_lanes(*trace);
    SourceLines sources{trace->path};
    fmt::print("{}: {}, started {}\n", printable(file_name(header.program)), plural(header.ranks, "rank", "ranks"),
               utc_text(trace->first_realtime_ns()));
    for (const std::string& line : where_lines(states, sources)) fmt::print("{}\n", line);
    for (const std::string& file : sources.untrusted()) fmt::print("{}\n", printable(file));
    const std::size_t missing = header.ranks - std::min<std::size_t>(header.ranks, trace->ranks.size());
    if (missing > 0)
        return fail(
            {.what = fmt::format("{} of {} rank files are not there", missing, header.ranks), .file = trace->path});
    if (any_lane(states)) return exit_code::fine;
    return fail({.what = "no lane of this run could be read, so nothing is known of where its ranks are",
                 .file = trace->path,
                 .advice = "run this on the hosts of the job, while it runs or before they are restarted"});
}

} // namespace tactus
