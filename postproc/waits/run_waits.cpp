#include "postproc/waits/run_waits.hpp"

#include "postproc/waits/network.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace tactus {
namespace {

double seconds(GlobalTime time) { return 1e-9 * to_ns(time); }

class AddingUp {
  public:
    explicit AddingUp(const Trace& trace) : trace_{trace} {
        for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
            index_[trace.ranks[i].header().rank] = i;
            out_.ranks.push_back({.rank = trace.ranks[i].header().rank});
        }
    }

    std::optional<RunWaits> run(bool with_efficiency) {
        for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
            const std::vector<RankWaits>& known = trace_.ranks[i].definitions().waits;
            if (known.empty()) return {};
            take(out_.ranks[i], known.back());
        }
        for (auto& [key, group] : groups_) {
            for (const auto& [victim, waited] : group.victims)
                if (group.victims.size() == 1 || waited > group.victims[group.all.victim]) group.all.victim = victim;
            group.all.victims = group.victims.size();
            out_.groups.push_back(std::move(group.all));
        }
        std::stable_sort(out_.groups.begin(), out_.groups.end(),
                         [](const WaitGroup& a, const WaitGroup& b) { return a.seconds > b.seconds; });
        if (with_efficiency) find_efficiency();
        return std::move(out_);
    }

  private:
    struct Group {
        WaitGroup all;
        std::map<std::uint32_t, double> victims; // seconds
    };
    using Key = std::tuple<WaitKind, std::uint32_t, Function, Function, Place, Place>;

    void take(WaitingRank& rank, const RankWaits& waits) {
        begin_ = std::min(begin_, waits.begin);
        end_ = std::max(end_, waits.end);
        rank.seconds = seconds(waits.end - waits.begin);
        rank.computed_s = seconds(waits.computed);
        out_.total_s += rank.seconds;
        out_.others_s += seconds(waits.others);
        for (const WaitRow& row : waits.rows)
            if (static_cast<std::size_t>(row.kind) < wait_names.size()) take(row);
    }

    void take(const WaitRow& row) {
        const double waited = seconds(row.total);
        const Place victim_place = place(row.victim, row.victim_place);
        const Place causer_place = place(row.causer, row.causer_place);
        Group& group =
            groups_[{row.kind, row.causer, row.victim_function, row.causer_function, victim_place, causer_place}];
        WaitGroup& all = group.all;
        if (all.count == 0) {
            all.kind = row.kind;
            all.causer = row.causer;
            all.victim = row.victim;
            all.victim_function = row.victim_function;
            all.causer_function = row.causer_function;
            all.victim_place = victim_place;
            all.causer_place = causer_place;
        }
        all.count += row.count;
        all.seconds += waited;
        all.longest_s = std::max(all.longest_s, seconds(row.longest));
        group.victims[row.victim] += waited;
        if (const auto victim = index_.find(row.victim); victim != index_.end())
            out_.ranks[victim->second].waited_s += waited;
        if (const auto causer = index_.find(row.causer); causer != index_.end())
            out_.ranks[causer->second].caused_s += waited;
    }

    Place place(std::uint32_t rank, std::uint64_t address) {
        const auto known = index_.find(rank);
        return known == index_.end() ? Place{} : place_of(address, trace_.ranks[known->second].definitions().modules);
    }

    void find_efficiency() {
        const std::optional<GlobalTime> ideal = ideal_time(trace_);
        double sum = 0;
        double most = 0;
        for (const WaitingRank& rank : out_.ranks) {
            sum += rank.computed_s;
            most = std::max(most, rank.computed_s);
        }
        if (!ideal || most <= 0 || end_ <= begin_ || *ideal <= 0) return;
        const double count = static_cast<double>(out_.ranks.size());
        out_.efficiency = Efficiency{.load_balance = sum / count / most,
                                     .serialisation = most / seconds(*ideal),
                                     .transfer = seconds(*ideal) / seconds(end_ - begin_)};
    }

    const Trace& trace_;
    RunWaits out_;
    std::map<std::uint32_t, std::size_t> index_; // by rank
    std::map<Key, Group> groups_;
    GlobalTime begin_ = std::numeric_limits<GlobalTime>::max();
    GlobalTime end_ = std::numeric_limits<GlobalTime>::min();
};

} // namespace

std::optional<RunWaits> waits_of(const Trace& trace, bool with_efficiency) {
    return AddingUp{trace}.run(with_efficiency);
}

} // namespace tactus
