#include "postproc/profile/profile.hpp"

#include "postproc/parallel/share_work.hpp"
#include "postproc/profile/finalize_waits.hpp"
#include "postproc/profile/rank_tally.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <map>

namespace tactus {
namespace {

CallStats in_seconds(const Tally& tally, const RankFile& file) {
    CallStats stats{.calls = tally.calls,
                    .failed = tally.failed,
                    .time_s = file.seconds(tally.time),
                    .sum_s = file.seconds(tally.sum),
                    .max_s = file.seconds(tally.longest),
                    .sent_bytes = tally.sent_bytes,
                    .received_bytes = tally.received_bytes};
    if (tally.calls > 0) stats.min_s = file.seconds(tally.shortest);
    return stats;
}

template <class T> void sort_by_time(std::vector<T>& list) {
    std::stable_sort(list.begin(), list.end(), [](const T& a, const T& b) { return a.stats.time_s > b.stats.time_s; });
}

Balance balance_of(const std::vector<RankProfile>& ranks, const std::vector<double>& times) {
    Balance balance;
    for (std::size_t i = 0; i < times.size(); ++i) {
        balance.mean_s += times[i] / static_cast<double>(times.size());
        if (times[i] <= balance.max_s) continue;
        balance.max_s = times[i];
        balance.max_rank = ranks[i].rank;
    }
    return balance;
}

// Combines the ranks. Its maps are ordered, so that functions and places with equal times always come in the same
// order.
class Gathering {
  public:
    void add(const RankFile& file, RankTally&& tally) {
        const std::size_t index = profile_.ranks.size();
        RankProfile rank{.rank = file.header().rank, .host = file.header().host, .lanes = tally.lanes, .mpi = {}};
        rank.wall_s = file.seconds(tally.wall());
        rank.threads_s = file.seconds(tally.threads);
        rank.measuring_s = file.seconds(tally.measuring);
        rank.use = std::move(tally.use);
        rank.samples = std::move(tally.samples);
        for (const auto& [key, counted] : tally.calls) {
            const CallStats stats = in_seconds(counted, file);
            rank.mpi.add(stats);
            places_[{key.function, place_of(key.address, file.definitions().modules)}].add(stats);
            functions_[key.function].add(stats);
            std::vector<double>& times = times_[key.function];
            times.resize(index + 1);
            times[index] += stats.time_s;
        }
        for (const auto& [to, sent] : tally.sent)
            profile_.messages.push_back({rank.rank, to, sent.messages, sent.bytes});
        profile_.unplaced += tally.unplaced;
        profile_.comments += tally.comments;
        for (const Error& error : tally.unreadable) keep_error(profile_.unreadable, error);
        profile_.wall_s = std::max(profile_.wall_s, rank.wall_s);
        profile_.total_s += rank.threads_s;
        profile_.all.add(rank.mpi);
        profile_.ranks.push_back(std::move(rank));
        application_.add(file, tally.window);
    }

    Profile finish() {
        for (const auto& [function, stats] : functions_) {
            profile_.functions.push_back({function, name_of(function), stats});
            if (!is_collective(function)) continue;
            std::vector<double>& times = times_[function];
            times.resize(profile_.ranks.size());
            profile_.collectives.push_back({function, name_of(function), stats, balance_of(profile_.ranks, times)});
        }
        for (const auto& [key, stats] : places_)
            profile_.places.push_back({key.first, name_of(key.first), key.second, stats});
        finish_application();
        sort_by_time(profile_.functions);
        sort_by_time(profile_.places);
        sort_by_time(profile_.collectives);
        std::vector<double> inside;
        std::vector<double> outside;
        for (const RankProfile& rank : profile_.ranks) {
            inside.push_back(rank.mpi.time_s);
            outside.push_back(rank.other_s());
        }
        profile_.mpi = balance_of(profile_.ranks, inside);
        profile_.other = balance_of(profile_.ranks, outside);
        return std::move(profile_);
    }

  private:
    void finish_application() {
        for (const auto& [name, region] : application_.regions) profile_.regions.push_back(region);
        std::stable_sort(profile_.regions.begin(), profile_.regions.end(),
                         [](const RegionProfile& a, const RegionProfile& b) { return a.time_s > b.time_s; });
        for (const auto& [name, counter] : application_.counters) profile_.counters.push_back(counter);
    }

    Profile profile_;
    Application application_;
    std::map<Function, CallStats> functions_;
    std::map<Function, std::vector<double>> times_; // by rank
    std::map<std::pair<Function, Place>, CallStats> places_;
};

} // namespace

void CallStats::add(const CallStats& more) {
    calls += more.calls;
    failed += more.failed;
    time_s += more.time_s;
    sum_s += more.sum_s;
    min_s = std::min(min_s, more.min_s);
    max_s = std::max(max_s, more.max_s);
    sent_bytes += more.sent_bytes;
    received_bytes += more.received_bytes;
}

Profile make_profile(const Trace& trace, const Window& window, unsigned threads) {
    std::vector<RankTally> tallies(trace.ranks.size());
    share_work(tallies.size(), threads,
               [&](std::size_t i) { tallies[i] = tally_rank(trace.ranks[i], window_of(trace.ranks[i], window)); });
    const std::vector<FinalizeWait> waits = finalize_waits(trace);
    for (std::size_t i = 0; i < waits.size(); ++i) tallies[i].extend_finalize(waits[i]);
    Gathering gathering;
    for (std::size_t i = 0; i < tallies.size(); ++i) gathering.add(trace.ranks[i], std::move(tallies[i]));
    return gathering.finish();
}

} // namespace tactus
