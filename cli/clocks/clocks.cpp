// `tactus clocks`: shows what was measured of the ranks' clocks, and the fits that were made from it.
#include "cli/clocks/clocks.hpp"

#include "cli/commands.hpp"
#include "cli/messages.hpp"

#include <nlohmann/json.hpp>

namespace tactus {
int clocks(const ClocksRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    put_on_one_clock(*trace, request.fit);
    const ClocksFacts facts = clocks_facts(*trace, request.fit);
    if (request.json)
        print_json(clocks_json(*trace, facts));
    else
        print_clocks_text(*trace, facts);
    std::vector<Error> problems = trace->problems;
    for (const Error& error : facts.reversed.messages.unreadable) keep_error(problems, error);
    if (!request.svg.empty()) {
        const Outcome written = write_file(request.svg, clocks_svg(*trace, facts));
        if (!written) keep_error(problems, written.error());
    }
    return tell(problems);
}

} // namespace tactus
