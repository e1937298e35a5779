#include "bench/correction_accuracy.hpp"

#include "bench/made_clock.hpp"
#include "postproc/finish/finish_options.hpp"
#include "postproc/replay/wire.hpp"
#include "trace/lane_walk.hpp"

#include <cmath>
#include <cstdio>

namespace tactus {
namespace {

struct Way {
    const char* name;
    std::vector<ProcessClock> clocks; // by rank
    std::uint64_t reversed = 0;
    double largest_ns = 0;
    std::uint32_t rank = 0; // rank and true time of the largest error
    double at_ns = 0;
    double squares = 0;

    void take(double error_ns, std::uint32_t of_rank, double true_ns) {
        squares += error_ns * error_ns;
        if (std::abs(error_ns) <= largest_ns) return;
        largest_ns = std::abs(error_ns);
        rank = of_rank;
        at_ns = true_ns;
    }
};

Finished finish_by(const Trace& trace, const char* setting, bool refine) {
    const char* const environment[] = {setting, nullptr};
    FinishOptions options = finish_options(Options::read(environment));
    options.refine = refine;
    LonelyWire wire;
    return finish(trace, wire, options, [](const char*) {});
}

std::vector<ProcessClock> without_corrected(std::vector<ProcessClock> clocks) {
    for (ProcessClock& clock : clocks) clock.corrected = {};
    return clocks;
}

std::vector<ProcessClock> only_fitted(std::vector<ProcessClock> clocks) {
    for (ProcessClock& clock : clocks) clock.refined = clock.corrected = {};
    return clocks;
}

std::vector<ProcessClock> dates_of(const Trace& trace) {
    std::vector<ProcessClock> dates;
    for (const RankFile& file : trace.ranks)
        dates.push_back({.fitted = file.clock_by_date(trace.origin_realtime_ns()), .refined = {}, .corrected = {}});
    return dates;
}

std::vector<Way> all_ways(const Trace& trace) {
    const Finished whole = finish_by(trace, "VT_ECLC=on", true);
    const Finished preset = finish_by(trace, "VT_ECLC=2007", true);
    const Finished unrefined = finish_by(trace, "VT_ECLC=on", false);
    const Finished plain_preset = finish_by(trace, "VT_ECLC=2007", false);
    const ClockQuality& quality = whole.quality;
    return {{"hosts' dates", dates_of(trace), quality.reversed_raw},
            {"fitted", only_fitted(whole.clocks), quality.reversed_fitted},
            {"refined", without_corrected(whole.clocks), quality.reversed_refined},
            {"corrected", whole.clocks, quality.reversed_corrected},
            {"corrected by 2007", preset.clocks, preset.quality.reversed_corrected},
            {"not refined, corrected", unrefined.clocks, unrefined.quality.reversed_corrected},
            {"not refined, by 2007", plain_preset.clocks, plain_preset.quality.reversed_corrected}};
}

// Global time 0 is rank 0's start anchor, which is at true time 0, and rank 0's clock is right. Returns the number of
// times that were compared.
std::uint64_t measure(const RankFile& file, std::size_t index, std::vector<Way>& ways) {
    const MadeClock clock{file.header().test_clock};
    std::vector<ClockCursor> cursors;
    for (const Way& way : ways) cursors.emplace_back(way.clocks[index]);
    std::uint64_t stamps = 0;
    for (const LaneBlocks& lane : lanes_of(file))
        for (LaneWalk walk{file, lane}; walk.next();)
            for (const Ticks tick : {walk.record().enter, walk.record().leave}) {
                const double truth = clock.true_ns(tick);
                for (std::size_t way = 0; way < ways.size(); ++way)
                    ways[way].take(to_ns(cursors[way].at(tick)) - truth, file.header().rank, truth);
                ++stamps;
            }
    return stamps;
}

} // namespace

void print_accuracy(const Trace& trace) {
    std::vector<Way> ways = all_ways(trace);
    std::uint64_t stamps = 0;
    for (std::size_t i = 0; i < trace.ranks.size(); ++i) stamps += measure(trace.ranks[i], i, ways);
    for (const Way& way : ways)
        std::printf("  %-23s %12.3f %12.3f %10llu   (rank %u at %.3f s)\n", way.name, 1e-3 * way.largest_ns,
                    1e-3 * std::sqrt(way.squares / static_cast<double>(stamps)),
                    static_cast<unsigned long long>(way.reversed), way.rank, 1e-9 * way.at_ns);
}

} // namespace tactus
