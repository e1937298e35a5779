#include "cli/report/missing_text.hpp"

#include "cli/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace tactus {

std::string missing_text(const Report& report) {
    std::size_t not_asked = 0;
    std::size_t refused = 0;
    std::size_t python = 0;
    std::size_t no_stacks = 0;
    std::int64_t why = 0;
    std::int64_t why_no_stacks = 0;
    for (const RankFile& file : report.trace.ranks) {
        const Definitions& definitions = file.definitions();
        if (definitions.totals.empty()) continue; // the file was not closed, so it does not say
        const Sampling said = definitions.sampling.empty() ? Sampling{} : definitions.sampling.back();
        if (said.period_ns == 0) ++not_asked;
        if (said.refused != 0) ++refused, why = said.refused;
        if (said.python == 2) ++python;
        if (said.stacks_refused != 0) ++no_stacks, why_no_stacks = said.stacks_refused;
    }
    std::vector<std::string> parts;
    const auto of = [](std::size_t ranks) { return plural(ranks, "rank", "ranks"); };
    if (not_asked > 0)
        parts.push_back(
            fmt::format("in which functions {} computed (there were no samples: VT_SAMPLING)", of(not_asked)));
    if (refused > 0)
        parts.push_back(fmt::format("in which functions {} computed (the kernel refused to sample threads: {})",
                                    of(refused), error_text(why)));
    if (no_stacks > 0)
        parts.push_back(fmt::format("which functions called others on {} (the kernel refused to copy stacks: {})",
                                    of(no_stacks), error_text(why_no_stacks)));
    if (python > 0)
        parts.push_back(fmt::format("functions of Python on {} (tactus does not know this version of the interpreter)",
                                    of(python)));
    if (report.cores.unknown > 0)
        parts.push_back(fmt::format("whether {} had cores (the system does not tell it, or they did not end in order)",
                                    of(report.cores.unknown)));
    return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace tactus
