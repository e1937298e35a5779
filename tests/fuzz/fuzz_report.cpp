// Everything that info, report, clocks and dump compute from a trace of one rank: figures, profile, clocks, lines.
#include "cli/clocks/clocks_facts.hpp"
#include "cli/dump/dump_merge.hpp"
#include "cli/manifest.hpp"
#include "cli/trace_facts.hpp"
#include "input.hpp"
#include "mend.hpp"
#include "postproc/compensate/compensated_run.hpp"
#include "postproc/compensate/delay_lines.hpp"
#include "postproc/profile/losses.hpp"
#include "postproc/profile/profile.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "postproc/waits/causes.hpp"
#include "postproc/waits/run_waits.hpp"

using namespace tactus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto repaired = with_right_checksums(data, size);
    const MemoryFile input{repaired.data(), repaired.size()};
    auto file = RankFile::open(input.path());
    if (!file) return 0;
    Trace trace{.path = "app.tactus", .ranks = {}, .problems = {}};
    trace.ranks.push_back(std::move(*file));
    put_on_one_clock(trace, {});
    (void)make_profile(trace);
    (void)make_profile(trace, {.from = trace.zero, .to = trace.zero + 1'000'000});
    (void)count_losses(trace);
    (void)tracer_cost(trace);
    (void)wall_seconds(trace);
    (void)contradictions(manifest_of(trace.ranks.front().header()), trace);
    (void)clocks_facts(trace, {});
    (void)waits_of(trace, {});
    if (auto run = events_of_run(trace)) { // also works for a trace that was not finished
        if (auto lists = list_waits(*run, true)) (void)causes_of(*run, *lists, {});
        (void)time_on({.latency_s = 1e-6, .seconds_per_byte = 1}, *run);
    }
    (void)stored_compensation(trace, run_identity(trace));
    for (const DelaySource source : {DelaySource::computed, DelaySource::noted}) {
        (void)compensated_run(trace, source);
        (void)delay_lines(trace, source);
    }
    DumpFilter filter;
    for (const bool events : {false, true}) {
        filter.events = events;
        std::vector<Error> unreadable;
        merge_lines(
            {&trace.ranks.front()}, filter, trace.zero, [](const DumpLine&) {}, unreadable);
    }
    return 0;
}
