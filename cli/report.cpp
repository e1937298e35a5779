// `tactus report`: the profile of a trace, for people or (--json) for programs.
#include "cli/report.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/trace_facts.hpp"
#include "clocksync/trace_clocks.hpp"

namespace tactus {

Report::Report(const Trace& of, bool compensates) : trace{of}, profile{make_profile(of)}, losses{count_losses(of)} {
    if (!compensates) return;
    compensated = compensated_run(of, DelaySource::computed);
    if (compensated->facts.notes > 0) noted = compensated_run(of, DelaySource::noted);
}

std::vector<std::string> Report::problems() const {
    std::vector<std::string> all = problem_lines(trace.problems);
    const std::vector<std::string> blocks = problem_lines(profile.unreadable);
    all.insert(all.end(), blocks.begin(), blocks.end());
    return all;
}

int report(const ReportRequest& request) {
    auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    put_on_one_clock(*trace, request.fit);
    Report report{*trace, request.times == Times::compensated};
    std::vector<Error> problems = trace->problems;
    problems.insert(problems.end(), report.profile.unreadable.begin(), report.profile.unreadable.end());
    if (request.json) {
        print_report_json(report);
        return tell(problems);
    }
    print_report_text(report);
    return problems.empty() ? exit_code::fine : exit_code::fault;
}

} // namespace tactus
