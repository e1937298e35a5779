#include "cli/trace_facts.hpp"

#include "cli/messages.hpp"
#include "postproc/profile/finalize_waits.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <set>

namespace tactus {

std::vector<std::string> problem_lines(const std::vector<Error>& problems) {
    std::vector<std::string> lines;
    for (const Error& problem : problems) lines.push_back(printable(problem.line()));
    return lines;
}

std::vector<std::string> hosts_of(const Trace& trace) {
    std::vector<std::string> hosts;
    for (const RankFile& file : trace.ranks) {
        const std::string host = printable(file.header().host);
        if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
    }
    return hosts;
}

double wall_seconds(const Trace& trace) {
    double longest = 0;
    const std::vector<FinalizeWait> waits = finalize_waits(trace);
    for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
        const RankFile& file = trace.ranks[i];
        const auto [first, last] = span_of(file.blocks());
        const Ticks end = i < waits.size() ? std::max(last, waits[i].end) : last;
        if (end > first) longest = std::max(longest, file.seconds(end - first));
    }
    return longest;
}

std::map<std::string, std::size_t> endings_of(const Trace& trace) {
    std::map<std::string, std::size_t> endings;
    for (const RankFile& rank : trace.ranks) {
        const auto& totals = rank.definitions().totals;
        const auto ending = totals.empty() ? ~std::size_t{0} : static_cast<std::size_t>(totals.front().ending);
        ++endings[!rank.closed() || ending >= ending_names.size() ? "open" : ending_names[ending]];
    }
    return endings;
}

DefinedNames names_defined_in(const Trace& trace) {
    std::set<std::string> symbols;
    std::set<std::string> counters;
    for (const RankFile& file : trace.ranks) {
        for (const Symbol& symbol : file.definitions().symbols) symbols.insert(symbol.name);
        for (const Counter& counter : file.definitions().counters) counters.insert(counter.name);
    }
    return {symbols.size(), counters.size()};
}

} // namespace tactus
