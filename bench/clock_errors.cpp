// Prints the errors of estimators of a clock's offset. The true offset is known: all ranks read the same clock, so it
// is 0.
//
//   clock_errors [--rejected] TRACE...    of runs on one host with VT_SYNCED_HOST=off and without VT_TEST_CLOCK
//
// Every round of every measured rank is one case. Rounds that the collector rejected and repeated count only with
// --rejected. Prints a line for each estimator, and then how the half-width that condense_by_bounds states compares
// with the errors.
#include "clocksync/trace_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tactus;

namespace {

using Samples = std::vector<Exchange>;
using Values = std::vector<double>;

double error_of(const Exchange& sample) { return sample.master - sample.middle(); }

double of_quickest(std::span<const Exchange> samples) {
    const auto quicker = [](const Exchange& a, const Exchange& b) { return a.round_trip() < b.round_trip(); };
    return error_of(*std::min_element(samples.begin(), samples.end(), quicker));
}
double of_quickest_of_10(const Samples& samples) {
    return of_quickest(std::span{samples}.first(std::min<std::size_t>(10, samples.size())));
}
double of_quickest_of_all(const Samples& samples) { return of_quickest(samples); }
// Uses no allowance for drift, because there is none. This is the strictest test of the stated half-width.
Point bounded(const Samples& samples, double resolution_ns) {
    return *condense_by_bounds(samples, {.rate = 0, .error = 0, .resolution_ns = resolution_ns});
}
double of_middle_of_bounds(const Samples& samples) {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    for (const Exchange& sample : samples) {
        low = std::max(low, sample.master - sample.received);
        high = std::min(high, sample.master - sample.sent);
    }
    return low + (high - low) / 2;
}
double of_interval(const Samples& samples) { return bounded(samples, 0).offset; }
double of_quick_nine_tenths(const Samples& samples) {
    const Point point = *condense_by_mean(samples);
    return point.offset;
}
double of_mean(const Samples& samples) {
    const auto add = [](double sum, const Exchange& sample) { return sum + error_of(sample); };
    return std::accumulate(samples.begin(), samples.end(), 0.0, add) / static_cast<double>(samples.size());
}

struct Cases {
    std::vector<Samples> rounds;
    std::vector<Point> points;
    std::size_t rejected = 0;
};

// Converts ticks to nanoseconds of the clock that all ranks share, by the rate that rank 0 knows for it.
Samples samples_of(const SyncRound& round, double ns_per_tick) {
    Samples samples;
    const Ticks from = round.samples.front().sent;
    const auto ns = [&](Ticks tick) {
        return static_cast<double>(static_cast<std::int64_t>(tick - from)) * ns_per_tick;
    };
    for (const SyncSample& sample : round.samples)
        samples.push_back({.sent = ns(sample.sent), .master = ns(sample.master), .received = ns(sample.received)});
    return samples;
}

bool collect(const char* path, bool with_rejected, Cases& cases) {
    const auto trace = Trace::open(path);
    if (!trace) return std::fprintf(stderr, "clock_errors: %s\n", trace.error().line().c_str()), false;
    const ClockFacts first = clock_facts(trace->ranks.front());
    const double rate = ns_per_tick(first.timer, first.anchors.front(), first.anchors.back());
    for (const RankFile& file : trace->ranks) {
        const ClockFacts facts = clock_facts(file);
        if (facts.place.relation != ClockRelation::measured) continue;
        for (const SyncRound& round : facts.rounds) {
            if (round.by_barrier || round.samples.empty()) continue;
            if (round.rejected) ++cases.rejected;
            if (round.rejected && !with_rejected) continue;
            cases.rounds.push_back(samples_of(round, rate));
            cases.points.push_back(bounded(cases.rounds.back(), static_cast<double>(facts.timer_resolution) * rate));
        }
    }
    return true;
}

// Returns the value below which this part of the values lies.
double quantile(Values values, double part) {
    const auto nth = static_cast<std::size_t>(std::llround(part * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(nth), values.end());
    return values[nth];
}

void print(const char* name, const Values& errors) {
    const auto count = static_cast<double>(errors.size());
    Values sizes;
    double sum = 0;
    double squares = 0;
    for (const double error : errors) {
        sizes.push_back(std::abs(error));
        sum += error;
        squares += error * error;
    }
    const double bias = sum / count;
    const double variance = std::max(0.0, squares / count - bias * bias);
    std::printf("%-26s %10.1f %10.1f %12.1f %12.1f %10.1f %10.1f\n", name, quantile(sizes, 0.5), quantile(sizes, 0.99),
                quantile(sizes, 1), std::sqrt(squares / count), bias, std::sqrt(variance));
}

void print_estimators(const Cases& cases) {
    struct {
        const char* name;
        double (*estimate)(const Samples&);
    } const estimators[] = {{"quickest of 10", of_quickest_of_10},           {"quickest of all", of_quickest_of_all},
                            {"middle of the bounds", of_middle_of_bounds},   {"interval", of_interval},
                            {"mean of quickest 90 %", of_quick_nine_tenths}, {"mean", of_mean}};
    std::printf("%-26s %10s %10s %12s %12s %10s %10s\n", "error, ns", "median", "p99", "max", "rms", "bias",
                "deviation");
    for (const auto& [name, estimate] : estimators) {
        Values errors;
        for (const Samples& samples : cases.rounds) errors.push_back(estimate(samples));
        print(name, errors);
    }
}

void print_half_widths(const Cases& cases) {
    Values stated;
    Values bounds;
    Values ratios;
    Values trips;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < cases.points.size(); ++i) {
        const Point& point = cases.points[i];
        const double error = std::abs(point.offset);
        stated.push_back(point.half_width);
        bounds.push_back(point.bound);
        ratios.push_back(error / point.half_width);
        if (error <= point.half_width) ++inside;
        for (const Exchange& sample : cases.rounds[i]) trips.push_back(sample.round_trip());
    }
    const auto count = static_cast<double>(cases.points.size());
    std::printf("half-width stated: median %.1f ns, p99 %.1f ns; %.2f %% of the errors inside; error / half-width: "
                "median %.2f, p99 %.2f, max %.2f\n",
                quantile(stated, 0.5), quantile(stated, 0.99), 100 * static_cast<double>(inside) / count,
                quantile(ratios, 0.5), quantile(ratios, 0.99), quantile(ratios, 1));
    std::printf("half of the bounds: median %.1f ns, p99 %.1f ns; round trip of all samples: median %.0f ns\n",
                quantile(bounds, 0.5), quantile(bounds, 0.99), quantile(trips, 0.5));
}

} // namespace

int main(int argc, char** argv) {
    Cases cases;
    const bool with_rejected = argc > 1 && std::strcmp(argv[1], "--rejected") == 0;
    for (int i = with_rejected ? 2 : 1; i < argc; ++i)
        if (!collect(argv[i], with_rejected, cases)) return 1;
    if (cases.rounds.empty()) {
        std::fprintf(stderr, "clock_errors: no measured rounds; was it run with VT_SYNCED_HOST=off?\n");
        return 1;
    }
    std::printf("%zu rounds, %zu more rejected when measured and %s\n",
                cases.rounds.size() - (with_rejected ? cases.rejected : 0), cases.rejected,
                with_rejected ? "counted as well" : "left out");
    print_estimators(cases);
    print_half_widths(cases);
    return 0;
}
