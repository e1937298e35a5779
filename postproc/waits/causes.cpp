#include "postproc/waits/causes.hpp"

#include "postproc/replay/channels.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tsl/robin_map.h>
#include <tuple>

namespace tactus {
namespace {

// How much waiting of other ranks comes from the waits of one rank. Waits are visited backward in time. Each debt says
// that every second which this rank waited after `since` caused `rate` seconds of waiting elsewhere.
class Debts {
  public:
    void add(double rate, GlobalTime since) {
        open_.push({since, rate});
        rate_ += rate;
    }
    // How much waiting of other ranks comes from this wait. Waits that ended later were visited before.
    double taken_over_by(const Wait& wait) {
        double all = 0;
        while (!open_.empty() && open_.top().since > wait.enter) {
            all += open_.top().rate * static_cast<double>(std::max<GlobalTime>(wait.given - open_.top().since, 0));
            rate_ -= open_.top().rate;
            open_.pop();
        }
        if (open_.empty()) rate_ = 0; // drops what rounding left over
        return all + rate_ * static_cast<double>(wait.time());
    }

  private:
    struct Debt {
        GlobalTime since = 0;
        double rate = 0;
        bool operator<(const Debt& other) const { return since < other.since; }
    };
    std::priority_queue<Debt> open_;
    double rate_ = 0;
};

class FindingCauses {
  public:
    FindingCauses(const RunEvents& run, std::vector<RankWaitList>& lists, const std::vector<RankOutside>& outside)
        : run_{run}, lists_{lists}, outside_{outside}, known_(lists.size()), of_roots_(lists.size()),
          debts_(lists.size()), ended_(lists.size()) {
        for (std::size_t i = 0; i < lists.size(); ++i) {
            index_[run.ranks[i].rank] = i;
            out_.rows.emplace_back(lists[i].rows.size());
        }
        out_.path.resize(lists.size());
    }

    Causes run() {
        // Forward in time, so that a wait finds the roots of the earlier waits that it comes from. Then backward, so
        // that a wait has been handed its share of all later waits before it hands on itself.
        in_order<false>([&](std::size_t rank, Wait& wait) { find_root(rank, wait); });
        choose_roots();
        begin_path();
        in_order<true>([&](std::size_t rank, const Wait& wait) {
            hand_on(rank, wait);
            if (rank == path_rank_ && wait.given <= path_time_) leave_path(rank, wait);
        });
        end_path();
        for (auto& [key, shares] : shares_) {
            const std::uint32_t number = key.first;
            const std::size_t rank = key.second;
            Root& root = out_.roots[number];
            const bool own = rank == index_.at(root.rank);
            share_out(rank, shares, [&](std::uint32_t place) -> SampledTime& {
                return own ? root.sampled[place] : root.peers[outside_[rank].numbers[place]];
            });
        }
        return std::move(out_);
    }

  private:
    // Visits the waits of all ranks by the time at which they ended. The backward order is exactly the reverse of the
    // forward order, also for equal times.
    template <bool backward, class Take> void in_order(const Take& take) {
        using Next = std::tuple<GlobalTime, std::size_t, std::size_t>;
        std::priority_queue<Next> next; // the greatest comes first
        const auto number = [&](std::size_t rank, std::size_t done) {
            return backward ? lists_[rank].waits.size() - 1 - done : done;
        };
        const auto put = [&](std::size_t rank, std::size_t done) {
            const PagedList<Wait>& waits = lists_[rank].waits;
            if (done == waits.size()) return;
            const GlobalTime end = waits[number(rank, done)].given;
            next.push(backward ? Next{end, rank, done} : Next{-end, lists_.size() - rank, done});
        };
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            ended_[i] = backward ? lists_[i].waits.size() : 0;
            put(i, 0);
        }
        while (!next.empty()) {
            const auto [time, place, done] = next.top();
            next.pop();
            const std::size_t rank = backward ? place : lists_.size() - place;
            const std::size_t i = number(rank, done);
            ended_[rank] = i;
            take(rank, lists_[rank].waits[i]);
            if (!backward) ended_[rank] = i + 1;
            put(rank, done + 1);
        }
    }

    // Indices of the waits of a rank that ended after a given time, and not after the wait that is being visited.
    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    [[nodiscard]] Span ended_since(std::size_t rank, GlobalTime from) const {
        const Wait* const waits = lists_[rank].waits.data();
        const std::size_t end = ended_[rank];
        std::size_t back = 1; // the begin of the span mostly is close to its end
        while (back < end && waits[end - back].given > from) back *= 2;
        const Wait* const begin =
            std::upper_bound(waits + (end - std::min(back, end)), waits + end, from,
                             [](GlobalTime time, const Wait& candidate) { return time < candidate.given; });
        return {static_cast<std::size_t>(begin - waits), end};
    }
    // How long the rank waited in `span` after `from`, which may lie within the first wait of the span.
    [[nodiscard]] GlobalTime waited(std::size_t rank, Span span, GlobalTime from) const {
        if (span.begin == span.end) return 0;
        const Wait& first = lists_[rank].waits[span.begin];
        const Wait& last = lists_[rank].waits[span.end - 1];
        return last.before + last.time() - first.before - std::clamp<GlobalTime>(from - first.enter, 0, first.time());
    }

    // What the causer of a wait waited since it met the victim.
    struct Since {
        std::size_t causer = 0;
        Span waits;
        GlobalTime waited = 0;
    };
    [[nodiscard]] Since since_they_met(std::size_t rank, const Wait& wait) const {
        const std::size_t causer = index_.at(lists_[rank].rows[wait.row].causer);
        const Span waits = ended_since(causer, wait.met);
        return {causer, waits, waited(causer, waits, wait.met)};
    }

    std::uint32_t root(std::size_t rank, Function function, std::uint64_t place) {
        const auto [at, fresh] =
            known_[rank].try_emplace({function, place}, static_cast<std::uint32_t>(out_.roots.size()));
        if (fresh) out_.roots.push_back({.rank = run_.ranks[rank].rank, .function = function, .place = place});
        return at->second;
    }

    std::uint32_t own_root(const WaitRow& row, std::size_t causer) {
        return root(causer, row.causer_function, row.causer_place);
    }

    void find_root(std::size_t rank, Wait& wait) {
        constexpr std::size_t looked_at = 64; // of the causer's last waits, whose longest gives the root
        const WaitRow& row = lists_[rank].rows[wait.row];
        const auto [low, high] = std::minmax(row.victim, row.causer);
        GlobalTime& met = met_.try_emplace(std::uint64_t{low} << 32 | high, wait.met).first.value();
        wait.met = std::min(std::max(wait.met, met), wait.enter);
        met = wait.given;
        const Since causer = since_they_met(rank, wait);
        wait.root = own_root(row, causer.causer);
        if (causer.waited > 0)
            wait.indirect = std::clamp<GlobalTime>(causer.waited - waited(rank, ended_since(rank, wait.met), wait.met),
                                                   0, wait.time());
        if (wait.indirect > wait.time() - wait.indirect) {
            const PagedList<Wait>& waits = lists_[causer.causer].waits;
            GlobalTime longest = 0;
            for (std::size_t i = causer.waits.end; i-- > causer.waits.begin && causer.waits.end - i <= looked_at;)
                if (waits[i].time() > longest) {
                    longest = waits[i].time();
                    wait.root = waits[i].root;
                }
        }
        out_.rows[rank][wait.row].indirect += wait.indirect;
        of_roots_[rank][std::uint64_t{wait.row} << 32 | wait.root] += wait.time();
    }

    void choose_roots() {
        for (std::size_t rank = 0; rank < of_roots_.size(); ++rank)
            for (const auto& [key, time] : of_roots_[rank]) {
                const auto root = static_cast<std::uint32_t>(key);
                RowCause& cause = out_.rows[rank][key >> 32];
                const bool earlier = time == cause.of_root && root < cause.root; // of equal ones the lowest number
                if (time > 0 && (time > cause.of_root || earlier)) cause.root = root, cause.of_root = time;
            }
        of_roots_.clear();
    }

    void hand_on(std::size_t rank, const Wait& wait) {
        const auto own = static_cast<double>(wait.time());
        if (own <= 0) return;
        const double taken_over = debts_[rank].taken_over_by(wait);
        const double part = static_cast<double>(wait.indirect) / own;
        const WaitRow& row = lists_[rank].rows[wait.row];
        if (wait.indirect > 0) {
            const Since causer = since_they_met(rank, wait);
            debts_[causer.causer].add((own + taken_over) * part / static_cast<double>(causer.waited), wait.met);
        }
        const std::size_t causer = index_.at(row.causer);
        Root& root = out_.roots[own_root(row, causer)];
        root.direct += own * (1 - part);
        root.indirect += taken_over * (1 - part);
        if (outside_.empty()) return;
        const CoreTime did = outside_[causer].time.between(wait.met, wait.given);
        if (did.total_s() > 0) {
            const double weight = own * (1 - part) / did.total_s();
            root.did += did.times(weight);
            root.peers_did += outside_[rank].time.between(wait.met, wait.given).times(weight);
        }
        const auto [begin, end] = outside_[causer].samples.range(wait.met, wait.given);
        const double seconds = outside_[causer].samples.seconds(begin, end);
        if (seconds <= 0 || part >= 1) return;
        const auto share = [&](std::size_t of, std::size_t first, std::size_t last) {
            if (first == last) return;
            std::vector<Share>& shares = shares_[{own_root(row, causer), of}];
            shares.push_back({first, own * (1 - part) / seconds});
            shares.push_back({last, -own * (1 - part) / seconds});
        };
        share(causer, begin, end);
        const auto [victims_begin, victims_end] = outside_[rank].samples.range(wait.met, wait.given);
        share(rank, victims_begin, victims_end);
    }

    // From this sample of a rank on, a root has so much more of the waits for each second that a sample stands for.
    struct Share {
        std::size_t sample = 0;
        double more = 0;
    };
    // A sample counts once, however many waits it lies in.
    template <class TimeOf> void share_out(std::size_t rank, std::vector<Share>& shares, const TimeOf& time_of) const {
        const SamplesInTime& samples = outside_[rank].samples;
        std::ranges::sort(shares, {}, &Share::sample);
        double rate = 0;
        int open = 0; // waits whose time the sample lies in
        for (std::size_t i = 0; i < shares.size(); ++i) {
            rate += shares[i].more;
            open += shares[i].more > 0 ? 1 : -1;
            if (open <= 0 || i + 1 == shares.size()) continue;
            for (std::size_t sample = shares[i].sample; sample < shares[i + 1].sample; ++sample) {
                SampledTime& sampled = time_of(samples.place(sample));
                sampled.time += rate * samples.seconds(sample, sample + 1);
                ++sampled.samples;
            }
        }
    }

    // The critical path, followed backward.
    void begin_path() {
        for (std::size_t i = 0; i < run_.calls.size(); ++i)
            if (i == 0 || run_.calls[i].end > path_time_) path_rank_ = i, path_time_ = run_.calls[i].end;
        if (!run_.calls.empty()) path_computed_ = run_.calls[path_rank_].computed;
    }
    void spend(std::size_t rank, GlobalTime since, GlobalTime computed) {
        const GlobalTime time = std::max<GlobalTime>(path_time_ - since, 0);
        constexpr std::size_t most_pieces = 1 << 20;
        out_.path[rank].time += time;
        if (time > 0 && out_.pieces.size() < most_pieces)
            out_.pieces.push_back({.rank = run_.ranks[rank].rank, .from = since, .to = path_time_});
        out_.path[rank].computed += std::clamp<GlobalTime>(path_computed_ - computed, 0, time);
    }
    void leave_path(std::size_t rank, const Wait& wait) {
        spend(rank, wait.given, wait.computed);
        path_rank_ = index_.at(lists_[rank].rows[wait.row].causer);
        path_time_ = wait.given;
        path_computed_ = wait.causer_computed;
        ++out_.changes;
    }
    void end_path() {
        if (!run_.calls.empty()) spend(path_rank_, run_.calls[path_rank_].begin, 0);
    }

    const RunEvents& run_;
    std::vector<RankWaitList>& lists_;
    const std::vector<RankOutside>& outside_;
    Causes out_;
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Share>> shares_; // by root and index of the rank
    tsl::robin_map<std::uint32_t, std::size_t> index_;                           // by rank
    // Numbers of the roots, of each rank.
    std::vector<std::map<std::pair<Function, std::uint64_t>, std::uint32_t>> known_;
    std::vector<ByNumber<GlobalTime>> of_roots_; // of each rank, by row in the high bits and root in the low ones
    ByNumber<GlobalTime> met_; // by a pair of ranks, the lower one in the high bits: when one last waited for the other
    std::vector<Debts> debts_; // of each rank
    std::vector<std::size_t> ended_; // of each rank: number of its waits that ended before the visited wait
    std::size_t path_rank_ = 0;
    GlobalTime path_time_ = 0;
    GlobalTime path_computed_ = 0;
};

} // namespace

Causes causes_of(const RunEvents& run, std::vector<RankWaitList>& lists, const std::vector<RankOutside>& outside) {
    return FindingCauses{run, lists, outside}.run();
}

} // namespace tactus
