#include "postproc/compensate/compensated_run.hpp"

#include "postproc/compensate/rank_sums.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tactus {
namespace {

void add_up(TimePair& sum, const TimePair& more) {
    sum.measured_s += more.measured_s;
    sum.compensated_s += more.compensated_s;
}

CompensatedRun run_of(std::vector<CompensatedRank> rows) {
    CompensatedRun run;
    std::map<Function, TimePair> by_function;
    for (const CompensatedRank& row : rows) {
        run.wall.measured_s = std::max(run.wall.measured_s, row.wall.measured_s);
        run.wall.compensated_s = std::max(run.wall.compensated_s, row.wall.compensated_s);
        add_up(run.mpi, row.mpi);
        for (const CompensatedFunction& function : row.functions) add_up(by_function[function.function], function.time);
        run.spans += row.spans;
        run.clamped += row.clamped;
        run.clamped_s += row.clamped_s;
        run.counts += {.messages = row.messages, .collectives = row.collectives, .notes = row.notes};
    }
    run.ranks = std::move(rows);
    for (const auto& [function, time] : by_function) run.functions.push_back({function, time});
    std::stable_sort(run.functions.begin(), run.functions.end(),
                     [](const auto& a, const auto& b) { return a.time.measured_s > b.time.measured_s; });
    return run;
}

// Whether all of its times are possible ones: a damaged file may claim anything.
bool has_times(const CompensatedRank& row) {
    const auto possible = [](const TimePair& time) {
        return std::isfinite(time.measured_s) && time.measured_s >= 0 && std::isfinite(time.compensated_s) &&
               time.compensated_s >= 0;
    };
    return possible(row.wall) && possible(row.mpi) && std::isfinite(row.clamped_s) &&
           std::all_of(row.functions.begin(), row.functions.end(),
                       [&](const CompensatedFunction& function) { return possible(function.time); });
}

// In ClockQuality::unmatched the reasons for messages come first, then those for everything else.
std::uint64_t sum_of(const std::vector<std::uint64_t>& counts, std::size_t from, std::size_t to) {
    std::uint64_t sum = 0;
    for (std::size_t i = from; i < std::min(to, counts.size()); ++i) sum += counts[i];
    return sum;
}

} // namespace

ReceivesByBasis receives_by_basis(const Trace& trace) {
    ReceivesByBasis sum{};
    for (const RankFile& file : trace.ranks)
        for (const Totals& totals : file.definitions().totals)
            for (std::size_t i = 0; i < std::min(sum.size(), totals.delays.size()); ++i) sum[i] += totals.delays[i];
    return sum;
}

Result<CompensatedRun> compensated_run(const Trace& trace, DelaySource source) {
    std::vector<RankSums> sums;
    for (const RankFile& file : trace.ranks) sums.emplace_back(file);
    const Result<Compensation> found = compensate(
        trace, source, [&](const Delayed& delayed) { sums[delayed.rank].add(delayed); }, threads_for(trace));
    if (!found) return found.error();
    std::vector<CompensatedRank> rows;
    for (std::size_t i = 0; i < sums.size(); ++i) rows.push_back(sums[i].row(found->ranks[i], 0));
    CompensatedRun run = run_of(std::move(rows));
    run.unknown = found->unknown;
    run.unmatched = std::accumulate(found->unmatched.begin(), found->unmatched.end(), std::uint64_t{0});
    return run;
}

std::optional<CompensatedRun> stored_compensation(const Trace& trace, std::uint64_t run) {
    std::vector<CompensatedRank> rows;
    const ClockQuality* quality = nullptr;
    for (const RankFile& file : trace.ranks) {
        const Definitions& known = file.definitions();
        if (known.compensated.empty() || known.compensated.back().run != run) return {};
        rows.push_back(known.compensated.back());
        rows.back().rank = file.header().rank;
        if (!has_times(rows.back())) return {};
        if (quality == nullptr && !known.clock_quality.empty()) quality = &known.clock_quality.back();
    }
    if (quality == nullptr) return {};
    const std::uint64_t released = rows.front().released;
    CompensatedRun stored = run_of(std::move(rows));
    stored.unknown = released + sum_of(quality->unmatched, unmatched_count, quality->unmatched.size());
    stored.unmatched = sum_of(quality->unmatched, 0, unmatched_count);
    return stored;
}

} // namespace tactus
