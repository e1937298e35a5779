#include "postproc/compensate/compensated_run.hpp"

#include <algorithm>
#include <map>

namespace tactus {
namespace {

// The records of a rank, which one thread hands out.
class RankSums {
  public:
    explicit RankSums(const RankFile& file) : file_{&file} {}

    void add(const Delayed& delayed) {
        const Record& record = delayed.record;
        if (record.what.kind != Kind::call) return;
        add_span(lanes_[delayed.lane], delayed);
        if (record.enter < first_) {
            first_ = record.enter;
            delay_at_first_ = delayed.at_enter;
        }
        if (record.leave > last_) {
            last_ = record.leave;
            delay_at_last_ = delayed.at_leave;
        }
        if (record.what.has(flag::nested)) return; // the call around it has its time
        const double measured = file_->seconds(inside_of(record));
        // Between unsuccessful calls the program is at work.
        const double saved = record.what.has(flag::misses) ? 0 : 1e-9 * (delayed.at_leave - delayed.at_enter);
        const double left = std::max(0.0, measured - saved);
        for (TimePair* const sum : {&functions_[record.what.function], &mpi_}) {
            sum->measured_s += measured;
            sum->compensated_s += left;
        }
    }

    void add_to(CompensatedRun& run, std::map<Function, TimePair>& by_function) const {
        CompensatedRank& row = run.ranks.emplace_back();
        row.rank = file_->header().rank;
        row.mpi = mpi_;
        add_up(run.mpi, mpi_);
        for (const auto& [function, time] : functions_) add_up(by_function[function], time);
        run.spans += spans_;
        run.clamped += clamped_;
        run.clamped_s += clamped_s_;
        if (last_ <= first_) return;
        row.wall.measured_s = file_->seconds(last_ - first_);
        row.wall.compensated_s = std::max(0.0, row.wall.measured_s - 1e-9 * (delay_at_last_ - delay_at_first_));
        run.wall.measured_s = std::max(run.wall.measured_s, row.wall.measured_s);
        run.wall.compensated_s = std::max(run.wall.compensated_s, row.wall.compensated_s);
    }

  private:
    struct Lane {
        Ticks leave = 0; // 0: nothing before
        double delay = 0;
    };

    static void add_up(TimePair& sum, const TimePair& more) {
        sum.measured_s += more.measured_s;
        sum.compensated_s += more.compensated_s;
    }

    void add_span(Lane& lane, const Delayed& delayed) {
        const Record& record = delayed.record;
        if (lane.leave != 0 && record.enter >= lane.leave)
            clamp(file_->seconds(record.enter - lane.leave), delayed.at_enter - lane.delay);
        clamp(file_->seconds(record.leave - record.enter), delayed.at_leave - delayed.at_enter);
        lane = {record.leave, delayed.at_leave};
    }

    void clamp(double span_s, double saved_ns) {
        ++spans_;
        const double over_s = 1e-9 * saved_ns - span_s;
        constexpr double rounding_s = 1e-9;
        if (over_s <= rounding_s) return;
        ++clamped_;
        clamped_s_ += over_s;
    }

    const RankFile* file_;
    std::map<std::uint32_t, Lane> lanes_;
    std::map<Function, TimePair> functions_;
    TimePair mpi_;
    Ticks first_ = ~Ticks{0};
    Ticks last_ = 0;
    double delay_at_first_ = 0;
    double delay_at_last_ = 0;
    std::uint64_t spans_ = 0;
    std::uint64_t clamped_ = 0;
    double clamped_s_ = 0;
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
    std::vector<RankSums> ranks;
    for (const RankFile& file : trace.ranks) ranks.emplace_back(file);
    CompensatedRun run;
    run.facts = compensate(
        trace, source, [&](const Delayed& delayed) { ranks[delayed.rank].add(delayed); }, threads_for(trace));
    std::map<Function, TimePair> by_function;
    for (const RankSums& rank : ranks) rank.add_to(run, by_function);
    for (const auto& [function, time] : by_function) run.functions.push_back({function, time});
    std::stable_sort(run.functions.begin(), run.functions.end(),
                     [](const auto& a, const auto& b) { return a.time.measured_s > b.time.measured_s; });
    return run;
}

} // namespace tactus
