#include "postproc/waits/run_waits.hpp"

#include "postproc/replay/reversed.hpp"
#include "postproc/waits/causes.hpp"
#include "trace/run_ends.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

namespace tactus {
namespace {

double seconds(GlobalTime time) { return 1e-9 * to_ns(time); }

// Why it is unknown how long the ranks computed; empty if it is known.
std::string what_is_missing(const Trace& trace) {
    if (trace.ranks.size() < trace.ranks.front().header().ranks) return "ranks are missing";
    for (const RankFile& file : trace.ranks) {
        const std::vector<Totals>& totals = file.definitions().totals;
        if (totals.empty() || totals.front().ending != Ending::finalize)
            return "rank " + std::to_string(file.header().rank) + " did not come to " +
                   name_of(end_of_run(file.definitions()));
        const std::vector<std::uint64_t>& lost = totals.front().lost;
        for (const Loss loss : {Loss::block_not_written, Loss::switched_off, Loss::no_memory, Loss::not_recovered})
            if (const auto i = static_cast<std::size_t>(loss); i < lost.size() && lost[i] > 0)
                return "rank " + std::to_string(file.header().rank) + " lacks " + losses[i].meaning;
    }
    return {};
}

class AddingUp {
  public:
    explicit AddingUp(const Trace& trace) : trace_{trace} {
        for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
            index_[trace.ranks[i].header().rank] = i;
            out_.ranks.push_back({.rank = trace.ranks[i].header().rank});
        }
    }

    std::optional<RunWaits> run(const Replaying& replaying) {
        if (trace_.ranks.empty()) return {};
        for (const RankFile& file : trace_.ranks) {
            const std::vector<RankWaits>& known = file.definitions().waits;
            if (known.empty()) return {};
            begin_ = std::min(begin_, within_reach(known.back().begin));
            end_ = std::max(end_, end_of(file));
        }
        out_.wall_s = seconds(end_ - begin_);
        const std::string missing = what_is_missing(trace_);
        ends_together_ = missing.empty();
        for (std::size_t i = 0; i < trace_.ranks.size(); ++i) take(i, trace_.ranks[i].definitions().waits.back());
        if (replaying.wanted)
            replay(replaying, missing);
        else
            take_stored_rows();
        for (auto& [key, group] : groups_) end_group(group);
        most_first(out_.groups);
        find_places();
        for (const WaitingRank& rank : out_.ranks) out_.waited_s += rank.waited_s;
        out_.waited_s += out_.others_s;
        return std::move(out_);
    }

  private:
    struct Group {
        WaitGroup all;
        std::map<std::uint32_t, double> victims; // seconds by rank
        std::map<std::size_t, double> roots;
    };
    using Key = std::tuple<WaitKind, std::uint32_t, Function, Function, Place, Place>;

    // Within reach, because the file may be damaged.
    static GlobalTime end_of(const RankFile& file) { return within_reach(file.definitions().waits.back().end); }

    void take(std::size_t i, const RankWaits& waits) {
        WaitingRank& rank = out_.ranks[i];
        rank.seconds = seconds(waits.threads) + (ends_together_ ? seconds(end_ - end_of(trace_.ranks[i])) : 0);
        rank.computed_s = seconds(waits.computed);
        out_.total_s += rank.seconds;
    }

    // The waits as they were found when the trace was finished.
    void take_stored_rows() {
        std::uint32_t last = 0;
        for (const RankFile& file : trace_.ranks)
            if (end_of(file) == end_) last = file.header().rank;
        for (const RankFile& file : trace_.ranks) {
            const RankWaits& waits = file.definitions().waits.back();
            out_.others_s += seconds(waits.others);
            for (const WaitRow& row : waits.rows)
                if (static_cast<std::size_t>(row.kind) < wait_names.size()) take(row);
            const GlobalTime waited = end_ - end_of(file);
            if (ends_together_ && waited > 0)
                take(at_finalize(file.header().rank, last, waited, end_of_run(file.definitions())));
        }
    }

    Group& take(const WaitRow& row) {
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
        return group;
    }

    void end_group(Group& group) {
        for (const auto& [victim, waited] : group.victims)
            if (group.victims.size() == 1 || waited > group.victims[group.all.victim]) group.all.victim = victim;
        for (const auto& [victim, waited] : group.victims) group.all.victims.push_back(victim);
        double most = 0;
        for (const auto& [root, waited] : group.roots)
            if (waited > most) group.all.root = root, most = waited;
        out_.groups.push_back(std::move(group.all));
    }

    template <class Item> static void most_first(std::vector<Item>& items) {
        std::stable_sort(items.begin(), items.end(),
                         [](const Item& a, const Item& b) { return a.seconds > b.seconds; });
    }

    void find_places() {
        struct At {
            WaitPlace all;
            std::map<std::uint32_t, double> victims; // seconds by rank
            std::set<std::uint32_t> causers;
        };
        std::map<std::tuple<WaitKind, Function, Place>, At> places;
        for (std::size_t i = 0; i < out_.groups.size(); ++i) {
            const WaitGroup& group = out_.groups[i];
            At& at = places[{group.kind, group.victim_function, group.victim_place}];
            at.all.kind = group.kind;
            at.all.function = group.victim_function;
            at.all.place = group.victim_place;
            at.all.seconds += group.seconds;
            at.all.groups.push_back(i);
            at.causers.insert(group.causer);
            const auto& victims = groups_[{group.kind, group.causer, group.victim_function, group.causer_function,
                                           group.victim_place, group.causer_place}]
                                      .victims;
            for (const auto& [victim, waited] : victims) at.victims[victim] += waited;
        }
        for (auto& [key, at] : places) {
            at.all.causers = at.causers.size();
            at.all.host = host_of(at.causers);
            at.all.victims = at.victims.size();
            if (at.all.kind == WaitKind::late_sender)
                if (const auto known = fixed_order_.find(at.all.place); known != fixed_order_.end())
                    at.all.fixed_order_s = std::min(known->second, at.all.seconds);
            double most = 0;
            for (const auto& [victim, waited] : at.victims)
                if (waited > most) at.all.victim = victim, most = waited;
            out_.places.push_back(std::move(at.all));
        }
        most_first(out_.places);
    }

    // The host of these ranks, if they all ran on the same host and some other rank did not; else empty.
    std::string host_of(const std::set<std::uint32_t>& ranks) {
        const auto host = [&](std::uint32_t rank) {
            const auto known = index_.find(rank);
            return known == index_.end() ? std::string{} : trace_.ranks[known->second].header().host;
        };
        const std::string first = host(*ranks.begin());
        for (const std::uint32_t rank : ranks)
            if (host(rank) != first) return {};
        for (const RankFile& file : trace_.ranks)
            if (file.header().host != first) return first;
        return {};
    }

    Place place(std::uint32_t rank, std::uint64_t address) {
        const auto known = index_.find(rank);
        return known == index_.end() ? Place{} : place_of(address, trace_.ranks[known->second].definitions().modules);
    }

    void replay(const Replaying& replaying, const std::string& missing) {
        std::optional<RunEvents> run = events_of_run(trace_);
        std::optional<std::vector<RankWaitList>> lists = run ? list_waits(*run, ends_together_) : std::nullopt;
        if (!lists) {
            out_.no_efficiency = "there is no room for the run's events in the trace's folder, or for its waits";
            return take_stored_rows();
        }
        out_.replayed = true;
        const Causes causes = causes_of(*run, *lists, outside_of(replaying.profile));
        out_.path_changes = causes.changes;
        out_.path.assign(causes.pieces.rbegin(), causes.pieces.rend());
        const std::vector<std::size_t> roots = take_roots(causes, replaying.profile);
        for (std::size_t i = 0; i < lists->size(); ++i) {
            out_.ranks[i].path_s = seconds(causes.path[i].time);
            out_.path_s += out_.ranks[i].path_s;
            out_.ranks[i].path_computed_s = seconds(causes.path[i].computed);
            for (const auto& [address, time] : (*lists)[i].fixed_order)
                fixed_order_[place(out_.ranks[i].rank, address)] += seconds(time);
            for (std::size_t k = 0; k < (*lists)[i].rows.size(); ++k) {
                Group& group = take((*lists)[i].rows[k]);
                const RowCause& cause = causes.rows[i][k];
                group.all.indirect_s += seconds(cause.indirect);
                if (cause.of_root > 0) group.roots[roots[cause.root]] += seconds(cause.of_root);
            }
        }
        out_.no_efficiency = missing;
        if (!missing.empty()) return;
        find_efficiency(time_on({}, *run));
        if (replaying.network) out_.network_s = seconds(time_on(*replaying.network, *run));
    }

    // What is known of each rank; empty if that is nothing.
    std::vector<RankOutside> outside_of(const Profile* profile) {
        std::vector<RankOutside> outside;
        if (profile == nullptr || profile->ranks.size() != trace_.ranks.size()) return outside;
        std::map<SampledPlace, std::uint32_t> numbers;
        for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
            const RankProfile& rank = profile->ranks[i];
            RankOutside& own = outside.emplace_back(RankOutside{
                {rank.use.first_thread, trace_.ranks[i].clock()}, {rank.samples, trace_.ranks[i].clock()}, {}});
            for (const SampledPlace& place : rank.samples.places) {
                const auto [at, fresh] = numbers.try_emplace(place, static_cast<std::uint32_t>(sampled_.size()));
                if (fresh) sampled_.push_back(place);
                own.numbers.push_back(at->second);
            }
        }
        return outside;
    }

    // Gives for each root of `causes` its index in out_.roots.
    std::vector<std::size_t> take_roots(const Causes& causes, const Profile* profile) {
        std::vector<std::size_t> by_time(causes.roots.size());
        std::iota(by_time.begin(), by_time.end(), std::size_t{0});
        const auto time = [&](std::size_t i) { return causes.roots[i].direct + causes.roots[i].indirect; };
        std::stable_sort(by_time.begin(), by_time.end(),
                         [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
        std::vector<std::size_t> numbers(by_time.size());
        for (const std::size_t i : by_time) {
            const Root& root = causes.roots[i];
            numbers[i] = out_.roots.size();
            out_.roots.push_back({.rank = root.rank,
                                  .function = root.function,
                                  .place = place(root.rank, root.place),
                                  .direct_s = 1e-9 * root.direct / time_units_per_ns,
                                  .indirect_s = 1e-9 * root.indirect / time_units_per_ns,
                                  .did = root.did.times(1e-9 / time_units_per_ns),
                                  .peers_did = root.peers_did.times(1e-9 / time_units_per_ns)});
            const std::size_t rank = index_.at(root.rank);
            out_.ranks[rank].root_s += out_.roots.back().seconds();
            if (profile == nullptr) continue;
            out_.roots.back().page_faults = profile->ranks[rank].use.outside.page_faults;
            out_.roots.back().major_faults = profile->ranks[rank].use.outside.major_faults;
            const auto sample = [](const SampledPlace& place, const SampledTime& sampled) {
                return RootSample{
                    .what = place, .seconds = 1e-9 * sampled.time / time_units_per_ns, .samples = sampled.samples};
            };
            WaitRoot& taken = out_.roots.back();
            for (const auto& [number, sampled] : root.sampled)
                taken.sampled.push_back(sample(profile->ranks[rank].samples.places[number], sampled));
            for (const auto& [number, sampled] : root.peers) taken.peers.push_back(sample(sampled_[number], sampled));
            most_first(taken.sampled);
            most_first(taken.peers);
        }
        return numbers;
    }

    void find_efficiency(GlobalTime ideal) {
        double sum = 0;
        double most = 0;
        for (const WaitingRank& rank : out_.ranks) {
            sum += rank.computed_s;
            most = std::max(most, rank.computed_s);
        }
        if (most <= 0 || out_.wall_s <= 0 || ideal <= 0) {
            out_.no_efficiency = "no rank computed";
            return;
        }
        const double count = static_cast<double>(out_.ranks.size());
        out_.efficiency = Efficiency{.load_balance = sum / count / most,
                                     .serialization = most / seconds(ideal),
                                     .transfer = seconds(ideal) / out_.wall_s};
    }

    const Trace& trace_;
    RunWaits out_;
    std::vector<SampledPlace> sampled_;          // of all ranks, by RankOutside::numbers
    bool ends_together_ = false;                 // all ranks came to MPI_Finalize
    std::map<std::uint32_t, std::size_t> index_; // by rank
    std::map<Key, Group> groups_;
    std::map<Place, double> fixed_order_; // seconds by the place of receives
    GlobalTime begin_ = std::numeric_limits<GlobalTime>::max();
    GlobalTime end_ = std::numeric_limits<GlobalTime>::min();
};

} // namespace

double waited_in(const RunWaits& waits, Function function) {
    double waited = 0;
    for (const WaitPlace& place : waits.places)
        if (place.function == function) waited += place.seconds;
    return waited;
}

std::optional<RunWaits> waits_of(const Trace& trace, const Replaying& replaying) {
    return AddingUp{trace}.run(replaying);
}

} // namespace tactus
