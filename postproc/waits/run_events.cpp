#include "postproc/waits/run_events.hpp"

#include "postproc/replay/reversed.hpp"
#include "postproc/replay/wire.hpp"

namespace tactus {

std::optional<RunEvents> events_of_run(const Trace& trace) {
    constexpr std::size_t in_memory = std::size_t{64} << 20;
    if (trace.ranks.empty()) return {};
    RunEvents run;
    const PagingTo paging{trace.path.c_str(), in_memory / trace.ranks.size()};
    for (const RankFile& file : trace.ranks) {
        run.ranks.push_back(events_of(file, {.paging = paging}));
        if (run.ranks.back().too_many) return {};
    }
    LonelyWire wire;
    run.agreed = agree(run.ranks, wire);
    run.calls.resize(run.ranks.size());
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!keep_posts(run.ranks[i], paging, run.calls[i])) return {};
        run.calls[i].in_full = true;
        run.calls[i].bytes = PagedList<std::uint64_t>{paging};
        for (std::size_t k = 0; k < run.ranks[i].events.size(); ++k)
            if (!run.calls[i].bytes.push_back(0)) return {};
        run.calls[i].bytes.close();
        stamp(run.ranks[i], trace.ranks[i].clock());
        find_calls(run.ranks[i], trace.ranks[i], trace.ranks[i].clock(), run.calls[i]);
    }
    return run;
}

} // namespace tactus
