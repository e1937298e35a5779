#include "postproc/compensate/compensated_run.hpp"

#include <algorithm>
#include <map>

namespace tactus {
namespace {

class Adding {
  public:
    explicit Adding(const Trace& trace) : trace_{trace}, ranks_(trace.ranks.size()) {}

    void add(const Delayed& one) {
        if (one.record.what.kind != Kind::call) return;
        Rank& rank = ranks_[one.rank];
        add_span(rank.lanes[one.lane], one);
        const Record& record = one.record;
        if (record.enter < rank.first) {
            rank.first = record.enter;
            rank.delay_at_first = one.at_enter;
        }
        if (record.leave > rank.last) {
            rank.last = record.leave;
            rank.delay_at_last = one.at_leave;
        }
        if (record.what.has(flag::nested)) return; // the call around it has its time
        const double measured = file(one).seconds(inside_of(record));
        // Between unsuccessful calls the program is at work.
        const double saved = record.what.has(flag::misses) ? 0 : 1e-9 * (one.at_leave - one.at_enter);
        const double left = std::max(0.0, measured - saved);
        for (TimePair* const sum : {&functions_[record.what.function], &rank.mpi}) {
            sum->measured_s += measured;
            sum->compensated_s += left;
        }
    }

    CompensatedRun finish(Compensation&& facts) {
        run_.facts = std::move(facts);
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            const Rank& rank = ranks_[i];
            CompensatedRank& row = run_.ranks.emplace_back();
            row.rank = trace_.ranks[i].header().rank;
            row.mpi = rank.mpi;
            run_.mpi.measured_s += rank.mpi.measured_s;
            run_.mpi.compensated_s += rank.mpi.compensated_s;
            if (rank.last <= rank.first) continue;
            row.wall.measured_s = trace_.ranks[i].seconds(rank.last - rank.first);
            row.wall.compensated_s =
                std::max(0.0, row.wall.measured_s - 1e-9 * (rank.delay_at_last - rank.delay_at_first));
            run_.wall.measured_s = std::max(run_.wall.measured_s, row.wall.measured_s);
            run_.wall.compensated_s = std::max(run_.wall.compensated_s, row.wall.compensated_s);
        }
        for (const auto& [function, time] : functions_) run_.functions.push_back({function, time});
        std::stable_sort(run_.functions.begin(), run_.functions.end(),
                         [](const auto& a, const auto& b) { return a.time.measured_s > b.time.measured_s; });
        return std::move(run_);
    }

  private:
    struct Lane {
        Ticks leave = 0; // 0: nothing before
        double delay = 0;
    };
    struct Rank {
        std::map<std::uint32_t, Lane> lanes;
        TimePair mpi;
        Ticks first = ~Ticks{0};
        Ticks last = 0;
        double delay_at_first = 0;
        double delay_at_last = 0;
    };

    [[nodiscard]] const RankFile& file(const Delayed& one) const { return trace_.ranks[one.rank]; }

    void add_span(Lane& lane, const Delayed& one) {
        const Record& record = one.record;
        if (lane.leave != 0 && record.enter >= lane.leave)
            clamp(file(one).seconds(record.enter - lane.leave), one.at_enter - lane.delay);
        clamp(file(one).seconds(record.leave - record.enter), one.at_leave - one.at_enter);
        lane = {record.leave, one.at_leave};
    }

    void clamp(double span_s, double saved_ns) {
        ++run_.spans;
        const double over_s = 1e-9 * saved_ns - span_s;
        constexpr double rounding_s = 1e-9;
        if (over_s <= rounding_s) return;
        ++run_.clamped;
        run_.clamped_s += over_s;
    }

    const Trace& trace_;
    std::vector<Rank> ranks_;
    std::map<Function, TimePair> functions_;
    CompensatedRun run_;
};

} // namespace

ReceivesByBasis receives_by_basis(const Trace& trace) {
    ReceivesByBasis sum{};
    for (const RankFile& file : trace.ranks)
        for (const Totals& totals : file.definitions().totals)
            for (std::size_t i = 0; i < std::min(sum.size(), totals.delays.size()); ++i) sum[i] += totals.delays[i];
    return sum;
}

CompensatedRun compensated_run(const Trace& trace, DelaySource source) {
    Adding adding{trace};
    Compensation facts = compensate(trace, source, [&](const Delayed& one) { adding.add(one); });
    return adding.finish(std::move(facts));
}

} // namespace tactus
