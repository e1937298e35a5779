// How far the clocks of a trace are from the truth. VT_TEST_CLOCK makes the truth known: all ranks ran on one machine,
// and each header has the function that made the rank's clock wrong.
//
//   clock_truth TRACE [--fit interval|itac|stored|measured] [--every N] [--bound NS]
//
// measured: as stored, but from the rounds alone. N: of the rounds between the first and the last, use only every Nth.
// NS: an error up to this is always allowed.
//
// Prints statistics over the enter and leave stamps of all records of all ranks: the largest and rms error in ns, its
// median, the median half-width, and the share of stamps whose error is within their half-width or the bound.
#include "clocksync/test_clock.hpp"
#include "clocksync/trace_clocks.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace tactus;

namespace {

struct Wanted {
    std::string trace;
    std::string fit = "stored";
    std::size_t every = 1;
    double bound_ns = 0;
};

Wanted wanted_of(int argc, char** argv) {
    Wanted wanted{.trace = argc > 1 ? argv[1] : ""};
    for (int i = 2; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--fit") == 0) wanted.fit = argv[i + 1];
        if (std::strcmp(argv[i], "--bound") == 0) wanted.bound_ns = std::strtod(argv[i + 1], nullptr);
        if (std::strcmp(argv[i], "--every") == 0) wanted.every = std::strtoul(argv[i + 1], nullptr, 10);
    }
    return wanted;
}

// The clocks of all ranks, fitted from fewer rounds.
std::vector<ProcessClock> maps_of(const Trace& trace, const Wanted& wanted) {
    std::vector<ProcessClock> maps;
    const Fit fit = wanted.fit == "itac" ? Fit::itac : Fit::interval;
    for (const RankFile& file : trace.ranks) {
        ClockFacts facts = clock_facts(file);
        const auto left_out = [&](const SyncRound& round) {
            return round.reason == RoundReason::timesync && round.number % wanted.every != 0;
        };
        std::erase_if(facts.rounds, left_out);
        const TimeMap date = file.clock_by_date(trace.origin_realtime_ns());
        if (wanted.fit == "stored")
            maps.push_back(file.clock());
        else if (wanted.fit == "measured")
            maps.push_back({.fitted = file.clock().fitted, .refined = {}, .corrected = {}});
        else if (facts.place.relation == ClockRelation::reference)
            maps.push_back({.fitted = map_of_reference(facts), .refined = {}, .corrected = {}});
        else
            maps.push_back({.fitted = fit_clock(fit, facts, maps[facts.place.master].fitted, date).map,
                            .refined = {},
                            .corrected = {}});
    }
    return maps;
}

struct Errors {
    std::vector<double> error;
    std::vector<double> half_width;
    std::size_t inside = 0;
};

Errors errors_of(const Trace& trace, const std::vector<ProcessClock>& maps, std::size_t rank, double bound_ns) {
    Errors errors;
    const RankFile& file = trace.ranks[rank];
    for (const LaneBlocks& lane : lanes_of(file))
        for (LaneWalk walk{file, lane}; walk.next();)
            for (const Ticks tick : {walk.record().enter, walk.record().leave}) {
                if (tick < file.header().test_clock.origin) continue; // before the clock was made wrong
                const Ticks truth = true_tick(file.header().test_clock, tick);
                const Ticks master = shown_tick(trace.ranks[0].header().test_clock, truth);
                const double error = to_ns(maps[rank].at(tick) - maps[0].at(master));
                const double half_width = maps[rank].half_width_ns(tick);
                errors.error.push_back(std::abs(error));
                errors.half_width.push_back(half_width);
                if (std::abs(error) <= std::max(half_width, bound_ns)) ++errors.inside;
            }
    return errors;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void print(const std::string& who, const Errors& errors) {
    double squares = 0;
    for (const double error : errors.error) squares += error * error;
    const auto count = static_cast<double>(errors.error.size());
    std::printf("{\"rank\": \"%s\", \"stamps\": %.0f, \"max_ns\": %.2f, \"rms_ns\": %.2f, \"median_ns\": %.2f, "
                "\"median_half_width_ns\": %.2f, \"inside\": %.6f}\n",
                who.c_str(), count, *std::max_element(errors.error.begin(), errors.error.end()),
                std::sqrt(squares / count), median(errors.error), median(errors.half_width),
                static_cast<double>(errors.inside) / count);
}

} // namespace

int main(int argc, char** argv) {
    const Wanted wanted = wanted_of(argc, argv);
    const auto trace = Trace::open(wanted.trace);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().line().c_str());
        return 1;
    }
    const std::vector<ProcessClock> maps = maps_of(*trace, wanted);
    Errors all;
    for (std::size_t rank = 1; rank < maps.size(); ++rank) {
        const Errors of_rank = errors_of(*trace, maps, rank, wanted.bound_ns);
        print(std::to_string(rank), of_rank);
        all.error.insert(all.error.end(), of_rank.error.begin(), of_rank.error.end());
        all.half_width.insert(all.half_width.end(), of_rank.half_width.begin(), of_rank.half_width.end());
        all.inside += of_rank.inside;
    }
    print("all", all);
    return 0;
}
