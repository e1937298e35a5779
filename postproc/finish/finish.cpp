#include "postproc/finish/finish.hpp"

#include "postproc/compensate/rank_sums.hpp"
#include "postproc/finish/changed_clock.hpp"
#include "postproc/finish/drift.hpp"
#include "postproc/lod/rank_index.hpp"
#include "postproc/refine/refine.hpp"
#include "postproc/replay/rank_events.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/waits/run_links.hpp"
#include "postproc/waits/waits.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

// Whether the rank has a clock to itself, although it seemed to share another rank's at the start.
bool has_own_clock(const TimeMap& map) {
    return std::any_of(map.notes.begin(), map.notes.end(),
                       [](const ClockNote& note) { return note.trouble == ClockTrouble::own_clock; });
}

class Finishing {
  public:
    Finishing(const Trace& trace, ReplayWire& wire, const FinishOptions& options, const TellProgress& tell)
        : trace_{trace}, wire_{wire}, options_{options}, tell_{tell} {}

    // With `in_one_replay`, ranks that share one clock are replayed once, to count and to find the waits: nothing can
    // be refined, and nothing needs to be corrected. Returns nothing if that is not true, since something is reversed.
    std::optional<Finished> run(bool in_one_replay) {
        out_.done = prepare();
        if (out_.done && in_one_replay && room_for_waits_ && has_one_clock() && !changes_right_clocks()) {
            const std::optional<bool> done = count_and_look_for_waits();
            if (!done) return {};
            out_.done = *done;
        } else {
            out_.done = out_.done && work_out();
        }
        out_.done = out_.done && wire_.ok();
        return std::move(out_);
    }

  private:
    // Reads and matches. Returns false when there is no time for the next step, or the trace is too large.
    bool prepare() {
        tell_("reading");
        for (std::uint32_t i = 0; i < trace_.ranks.size(); ++i)
            if (wire_.plays(trace_.ranks[i].header().rank)) read(i);
        if (wire_.out_of_time() || is_too_large()) return false;
        tell_("matching messages");
        matched_ = match_events(ranks_, wire_);
        if (wire_.out_of_time() || is_too_large()) return false;
        room_for_waits_ = keep_posts_of_all();
        for (std::size_t i = 0; i < ranks_.size(); ++i) dates_.push_back(date_of(i));
        if (options_.origin_realtime_ns && any_lacks_clock()) out_.clocks = dates_;
        stamp_all();
        find_leaders();
        return !wire_.out_of_time();
    }

    bool work_out() {
        tell_("counting what is reversed");
        take_counts(count<2>({&dates_, nullptr}));
        if (wire_.out_of_time()) return false;
        if (options_.refine) refine_clocks();
        if (wire_.out_of_time()) return false;
        if (options_.correct && !correct()) return false;
        add_up();
        if (room_for_waits_) look_for_waits(nullptr);
        if (options_.compensate && !wire_.out_of_time()) compensate();
        return wire_.ok();
    }

    // Returns nothing if something has to be corrected, and false when there was no time to count. When there is no
    // time for the rest, the trace is finished without waits.
    std::optional<bool> count_and_look_for_waits() {
        CountingReversed<2> counting{of_each<2>({&dates_, nullptr})};
        look_for_waits(&counting);
        if (!counting.ended()) return false;
        std::vector<std::uint64_t> reversed{counting.reversed()[1].all()};
        wire_.add_up(reversed);
        if (reversed[0] > 0 && options_.correct) return {};
        take_counts(counting.reversed());
        if (options_.correct) out_.quality.decay = decay();
        add_up();
        if (options_.compensate && !wire_.out_of_time()) compensate();
        return true;
    }

    // After every change of the clocks: stamps the events by the present clocks. Early events are played first.
    void stamp_all() {
        for (std::size_t i = 0; i < ranks_.size(); ++i) stamp(ranks_[i], out_.clocks[i]);
    }

    // Takes what is reversed by the dates and by the fitted clocks.
    void take_counts(const std::array<Reversed, 2>& first) {
        ClockQuality& quality = out_.quality;
        quality.reversed_raw = first[0].all();
        quality.reversed_fitted = quality.reversed_refined = quality.reversed_corrected = first[1].all();
    }

    // Keeps when receives were posted. Returns false when some process has no room, or waits are not wanted. The trace
    // is then finished without waits.
    bool keep_posts_of_all() {
        if (!options_.waits) return false;
        std::vector<std::int64_t> any{0};
        calls_.resize(ranks_.size());
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            if (!keep_posts(ranks_[i], options_.paging, calls_[i])) any[0] = 1;
        wire_.find_most(any);
        return any[0] <= 0;
    }

    // When there is no time, there are no waits. `counting`, if any, visits the same replay.
    void look_for_waits(CountingReversed<2>* counting) {
        tell_("looking for waits");
        for (std::size_t i = 0; i < ranks_.size() && !wire_.is_late(); ++i)
            find_calls(
                ranks_[i], trace_.ranks[out_.ranks[i]],
                [&](std::size_t) -> const ProcessClock& { return out_.clocks[i]; }, calls_[i],
                [&] { return wire_.is_late(); });
        if (wire_.out_of_time()) return;
        std::vector<std::uint64_t> records;
        for (const RankEvents& rank : ranks_) records.push_back(rank.records);
        RunLinks links{records};
        std::vector<RankWaits> waits = find_waits(
            ranks_, matched_, wire_, calls_,
            [&](std::size_t rank, LinkKind kind, const Link& link) { links.add(rank, kind, link); }, counting);
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            ClockCursor clock{out_.clocks[i]};
            take_own_messages(
                ranks_[i], i, [&](std::uint32_t, Ticks tick) { return clock.at(tick); },
                [&](std::size_t rank, LinkKind kind, const Link& link) { links.add(rank, kind, link); });
        }
        const std::uint64_t run = identity_of_run();
        if (wire_.out_of_time()) return;
        out_.waits = std::move(waits);
        out_.run = run;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            const RankFile& file = trace_.ranks[out_.ranks[i]];
            const bool known = ranks_with_links(file.all_blocks(), run).contains(ranks_[i].rank);
            out_.links.push_back(known ? std::vector<Bytes>{}
                                       : link_blocks(links.take(i), ranks_[i].rank, file.header().job, run));
        }
    }

    // Of the clocks that all ranks have now.
    std::uint64_t identity_of_run() {
        std::vector<std::uint64_t> identities;
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            identities.push_back(index_identity(trace_.ranks[out_.ranks[i]], out_.clocks[i]));
        std::vector<std::uint64_t> sum{run_identity(identities)};
        wire_.add_up(sum);
        return sum[0];
    }

    // This is left out when there is no time, like the waits. A reader can compute it as well.
    void compensate() {
        tell_("taking out the tracer's time");
        std::vector<RankSums> sums; // of all ranks of the trace, as Delayed::rank counts them
        for (const RankFile& file : trace_.ranks) sums.emplace_back(file);
        const PlayedDelays delays = compensate_played(
            trace_, {.indices = out_.ranks, .clocks = out_.clocks, .events = ranks_, .matched = matched_}, wire_,
            [&](const Delayed& delayed) { sums[delayed.rank].add(delayed); });
        const std::uint64_t run = identity_of_run();
        if (wire_.out_of_time()) return;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            out_.compensated.push_back(sums[out_.ranks[i]].row(delays.ranks[i], delays.released));
            out_.compensated.back().run = run;
        }
    }

    void read(std::uint32_t i) {
        out_.ranks.push_back(i);
        ranks_.push_back(events_of(
            trace_.ranks[i],
            {.paging = options_.paging, .most = options_.most_events, .stop = [&] { return wire_.is_late(); }}));
        ProcessClock clock = trace_.ranks[i].clock();
        lacks_clock_ = lacks_clock_ || trace_.ranks[i].stored_clock() == nullptr;
        clock.refined = {};
        clock.corrected = {};
        out_.clocks.push_back(std::move(clock));
        for (const Error& error : ranks_.back().unreadable) keep_error(out_.unreadable, error);
    }

    // Whether any process would take more memory or time than the options allow. Collective.
    bool is_too_large() {
        std::vector<std::int64_t> any{0};
        for (const RankEvents& rank : ranks_)
            if (rank.too_many) any[0] = 1;
        std::uint64_t comings = 0; // entries of members into collectives that may be open at once in this process
        for (std::size_t i = 0; i < matched_.owned.size(); ++i)
            for (const OwnedCollectiveGroup& group : matched_.owned[i])
                comings += group.members.size() * std::uint64_t{group.ahead};
        if (comings > options_.most_comings || matched_.messages + matched_.signals > options_.most_messages)
            any[0] = 1;
        wire_.find_most(any);
        return any[0] > 0;
    }

    // Whether any rank has no measured clock. Then all ranks go by the dates of their hosts, because some by dates and
    // others by measurement would be worse than either.
    bool any_lacks_clock() {
        std::vector<std::int64_t> any{lacks_clock_ ? 1 : 0};
        wire_.find_most(any);
        return any[0] > 0;
    }

    ProcessClock date_of(std::size_t i) const {
        const RankFile& file = trace_.ranks[out_.ranks[i]];
        const std::int64_t origin = options_.origin_realtime_ns.value_or(trace_.origin_realtime_ns());
        return {.fitted = file.clock_by_date(origin), .refined = {}, .corrected = {}};
    }

    using Clocks = std::vector<ProcessClock>; // of ranks_
    // The clocks of each rank. A null pointer stands for the clocks by which the events are stamped.
    template <std::size_t n>
    [[nodiscard]] std::vector<std::array<const ProcessClock*, n>> of_each(std::array<const Clocks*, n> of_all) const {
        std::vector<std::array<const ProcessClock*, n>> clocks(ranks_.size());
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            for (std::size_t k = 0; k < n; ++k) clocks[i][k] = of_all[k] != nullptr ? &(*of_all[k])[i] : nullptr;
        return clocks;
    }
    template <std::size_t n> std::array<Reversed, n> count(std::array<const Clocks*, n> of_all) {
        return count_reversed(ranks_, matched_, wire_, of_each<n>(of_all));
    }

    // Finds whose clock each rank uses. If a header claims more ranks than any machine has, leaders_ stays empty.
    void find_leaders() {
        std::uint64_t all_ranks = 0;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            const RankFile& file = trace_.ranks[out_.ranks[i]];
            const std::vector<ClockPlace>& known = file.definitions().clock_places;
            places_.push_back(known.empty() ? ClockPlace{.relation = ClockRelation::measured} : known.back());
            if (has_own_clock(out_.clocks[i].fitted) && places_.back().relation == ClockRelation::shared)
                places_.back().relation = ClockRelation::measured;
            all_ranks =
                std::max({all_ranks, std::uint64_t{file.header().ranks}, std::uint64_t{file.header().rank} + 1});
        }
        constexpr std::int64_t any_machine = 1 << 22;
        std::vector<std::int64_t> most{static_cast<std::int64_t>(std::min<std::uint64_t>(all_ranks, any_machine + 1))};
        wire_.find_most(most);
        if (!wire_.ok() || most[0] <= 0 || most[0] > any_machine) return;
        leaders_ = clock_leaders(ranks_, places_, wire_, static_cast<std::uint32_t>(most[0]));
    }

    // Every process gets the same answer, as from changes_right_clocks().
    [[nodiscard]] bool has_one_clock() const {
        return !leaders_.empty() &&
               std::ranges::all_of(leaders_, [&](std::int64_t leader) { return leader == leaders_.front(); });
    }
    // Whether clocks may be changed although nothing is reversed.
    [[nodiscard]] bool changes_right_clocks() const {
        return options_.shifts != nullptr || options_.measure_links || options_.eclc.mu != 0 ||
               options_.eclc.delta != 0;
    }
    double decay() { return options_.decay ? *options_.decay : decay_by_drift(out_.clocks, wire_); }

    // Sets the least time of messages between clocks that were measured against each other: half of the time that the
    // quickest message there took, which is a quarter of the quickest round trip. Half a round trip would be too much,
    // since its two ways need not take the same time.
    void measure_links() {
        constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
        std::vector<std::int64_t> most{-never};
        for (const std::uint32_t i : out_.ranks) {
            const RankFile& file = trace_.ranks[i];
            for (const SyncRound& round : file.definitions().sync_rounds)
                for (const SyncSample& sample : round.samples)
                    if (sample.received > sample.sent)
                        most[0] = std::max(most[0], -time_of_ns(1e9 * file.seconds(sample.received - sample.sent)));
        }
        wire_.find_most(most);
        if (most[0] == -never || leaders_.empty()) return;
        for (RankEvents& rank : ranks_)
            for (Channel& channel : rank.channels)
                if (leaders_[channel.peer] != leaders_[rank.rank]) channel.least = -most[0] / 4;
    }

    void refine_clocks() {
        tell_("refining");
        if (options_.shifts != nullptr) {
            for (std::size_t i = 0; i < ranks_.size(); ++i) out_.clocks[i].refined = (*options_.shifts)[out_.ranks[i]];
            stamp_all();
            return;
        }
        if (leaders_.empty()) return;
        std::vector<const ProcessClock*> clocks;
        for (const ProcessClock& clock : out_.clocks) clocks.push_back(&clock);
        std::vector<ShiftMap> maps = refine(ranks_, matched_, wire_, clocks, places_, leaders_);
        std::vector<ProcessClock> refined = out_.clocks;
        std::vector<std::int64_t> any{0, 0}; // some map refines; some map is impossible
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            if (!maps[i].knots.empty()) any[0] = 1;
            refined[i].refined = std::move(maps[i]);
            if (!goes_on(refined[i])) any[1] = 1;
        }
        wire_.find_most(any);
        if (any[0] <= 0 || any[1] > 0) return;
        // A refinement that puts more messages into disorder is left out.
        std::vector<std::uint64_t> before{out_.quality.reversed_fitted};
        const std::uint64_t here = count<1>({&refined})[0].all();
        std::vector<std::uint64_t> after{here};
        wire_.add_up(before);
        wire_.add_up(after);
        if (after[0] > before[0]) return;
        out_.clocks = std::move(refined);
        stamp_all();
        out_.quality.reversed_refined = out_.quality.reversed_corrected = here;
    }

    bool correct() {
        tell_("correcting");
        EclcOptions options = options_.eclc;
        ClockQuality& quality = out_.quality;
        options.decay = quality.decay = decay();
        std::vector<std::uint64_t> reversed{quality.reversed_refined};
        wire_.add_up(reversed);
        if (options_.measure_links) measure_links();
        if (reversed[0] == 0 && !changes_right_clocks()) return true;
        const EclcFigures figures = run_eclc(ranks_, matched_, wire_, options);
        quality.passes = figures.passes;
        quality.jumps = figures.jumps;
        quality.largest_jump = figures.largest_jump;
        quality.steepest = figures.steepest;
        quality.released = figures.released;
        if (wire_.out_of_time()) return false;
        for (std::size_t i = 0; i < ranks_.size() && figures.largest_jump > 0; ++i) {
            measure_change(ranks_[i], out_.clocks[i], quality);
            out_.clocks[i].corrected = correction_of(ranks_[i], out_.clocks[i]);
        }
        stamp_all();
        if (figures.largest_jump == 0) return true;
        tell_("counting again");
        quality.reversed_corrected = count<1>({nullptr})[0].all();
        return !wire_.out_of_time();
    }

    // Replaces the figures of this process by those of all processes. Collective.
    void add_up() {
        ClockQuality& quality = out_.quality;
        quality.messages = matched_.messages;
        quality.collectives = matched_.collectives + matched_.signals;
        quality.unmatched.assign(matched_.unmatched.begin(), matched_.unmatched.end());
        quality.unmatched.insert(quality.unmatched.end(), matched_.unmatched_others.begin(),
                                 matched_.unmatched_others.end());
        std::vector<std::uint64_t*> sums{
            &quality.messages,        &quality.collectives,      &quality.reversed_raw,
            &quality.reversed_fitted, &quality.reversed_refined, &quality.reversed_corrected,
            &quality.jumps,           &quality.intervals,        &quality.changed};
        for (std::uint64_t& count : quality.unmatched) sums.push_back(&count);
        std::vector<std::uint64_t> values;
        for (const std::uint64_t* sum : sums) values.push_back(*sum);
        wire_.add_up(values);
        for (std::size_t i = 0; i < sums.size(); ++i) *sums[i] = values[i];
        const auto others = quality.unmatched.begin() + unmatched_count;
        if (std::all_of(others, quality.unmatched.end(), [](std::uint64_t count) { return count == 0; }))
            quality.unmatched.erase(others, quality.unmatched.end());
        constexpr double fine = 1e9;
        std::vector<std::int64_t> most{quality.largest_move, std::llround(quality.steepest * fine)};
        wire_.find_most(most);
        quality.largest_move = most[0];
        quality.steepest = static_cast<double>(most[1]) / fine;
    }

    const Trace& trace_;
    ReplayWire& wire_;
    const FinishOptions& options_;
    const TellProgress& tell_;
    Finished out_;
    std::vector<RankEvents> ranks_;
    std::vector<ProcessClock> dates_;
    std::vector<ClockPlace> places_;
    std::vector<std::int64_t> leaders_; // by rank, for all ranks of the run; empty: not known
    MatchedEvents matched_;
    std::vector<RankCalls> calls_; // in the order of ranks_; empty: waits are not wanted
    bool lacks_clock_ = false;
    bool room_for_waits_ = false;
};

} // namespace

Finished finish(const Trace& trace, ReplayWire& wire, const FinishOptions& options, const TellProgress& tell) {
    if (auto finished = Finishing{trace, wire, options, tell}.run(true)) return std::move(*finished);
    return Finishing{trace, wire, options, tell}.run(false).value();
}

} // namespace tactus
