#include "postproc/waits/wait_list.hpp"

#include "postproc/replay/engine.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/waits/locks.hpp"
#include "postproc/waits/receive_order.hpp"
#include "postproc/waits/wait_rows.hpp"
#include "postproc/waits/waiting.hpp"

#include <limits>

namespace tactus {
namespace {

const GlobalTime never = within_reach(std::numeric_limits<GlobalTime>::min()); // earlier than everything that is played

// When the members of each group were together last, as each member knows it.
class Meetings {
  public:
    explicit Meetings(const RunEvents& run) {
        tsl::robin_map<std::uint32_t, std::size_t> index; // by rank
        for (std::size_t i = 0; i < run.ranks.size(); ++i) index[run.ranks[i].rank] = i;
        last_.resize(run.ranks.size());
        for (std::size_t i = 0; i < run.matched.owned.size(); ++i)
            for (const OwnedCollectiveGroup& group : run.matched.owned[i]) {
                std::vector<std::uint32_t> members;
                for (const OwnedCollectiveGroup::Member& member : group.members) members.push_back(member.rank);
                std::sort(members.begin(), members.end());
                for (const OwnedCollectiveGroup::Member& member : group.members)
                    if (const auto known = index.find(member.rank); known != index.end())
                        last_[known->second].push_back({member.group, members_.size(), never});
                members_.push_back(std::move(members));
            }
    }

    // Must be called in the order of the rank's events.
    void meet(std::size_t rank, std::uint32_t group, GlobalTime at) {
        std::vector<Last>& all = last_[rank];
        const auto it =
            std::find_if(all.begin(), all.end(), [&](const Last& candidate) { return candidate.group == group; });
        if (it == all.end()) return;
        it->at = at;
        std::rotate(all.begin(), it, it + 1); // the latest first
    }

    // When both ranks were together last, in any group that contains both.
    [[nodiscard]] GlobalTime last(std::size_t rank, std::uint32_t other) const {
        for (const Last& last : last_[rank]) {
            if (last.at == never) break;
            const std::vector<std::uint32_t>& members = members_[last.members];
            if (std::binary_search(members.begin(), members.end(), other)) return last.at;
        }
        return never;
    }

  private:
    struct Last {
        std::uint32_t group = 0; // number of the group on this rank
        std::size_t members = 0; // in members_
        GlobalTime at = 0;
    };
    std::vector<std::vector<std::uint32_t>> members_; // of each group
    std::vector<std::vector<Last>> last_;             // of each rank
};

class Listed {
  public:
    static constexpr bool independent = false;
    struct Extra {
        GlobalTime met = never;
        GlobalTime computed = 0; // by the rank that gave
        GlobalTime taken = 0;    // by the rank that took
    };

    explicit Listed(const RunEvents& run) : run_{run}, meetings_{run}, states_(run.ranks.size()) {
        for (std::size_t i = 0; i < run.ranks.size(); ++i) index_[run.ranks[i].rank] = i;
    }

    Extra give(std::size_t rank, const Event& event, const CallFacts& facts) {
        if (is_message(event.role()) && is_of_first_thread(rank, event))
            states_[rank].order.send(run_.ranks[rank].channels[event.index()].peer);
        return {.computed = facts.computed};
    }

    Extra take(std::size_t rank, const Event& event, const CallFacts& facts, const GivenBy<Extra>& given) {
        const Extra about{
            .met = meetings_.last(rank, given.rank), .computed = given.extra.computed, .taken = facts.computed};
        if (is_of_first_thread(rank, event)) see_order(rank, event, facts, given);
        if (!is_message(event.role())) meet(rank, event, facts, given.at);
        return about;
    }

    Extra receive(std::size_t rank, const CallFacts& facts, const GivenBy<Extra>& given) const {
        return {.met = meetings_.last(rank, given.rank), .computed = facts.computed, .taken = given.extra.computed};
    }

    void keep(std::size_t, const WaitRow& row, GlobalTime enter, GlobalTime given, const Extra& about) {
        State& victim = states_[index_.at(row.victim)];
        const Wait wait{.enter = enter,
                        .given = given,
                        .met = std::min(about.met, enter),
                        .computed = about.taken,
                        .causer_computed = about.computed,
                        .row = victim.rows.add(row, given - enter)};
        if (!victim.waits.push_back(wait)) has_room_ = false;
    }

    void wait_for_locks() {
        for (const LockWait& lock_wait : lock_waits(run_.calls))
            keep(lock_wait.victim,
                 {.kind = WaitKind::lock,
                  .victim = run_.ranks[lock_wait.victim].rank,
                  .causer = run_.ranks[lock_wait.causer].rank,
                  .victim_function = lock_wait.victim_place.function,
                  .causer_function = lock_wait.causer_place.function,
                  .victim_place = lock_wait.victim_place.address,
                  .causer_place = lock_wait.causer_place.address},
                 lock_wait.enter, lock_wait.given,
                 {.met = lock_wait.locked, .computed = lock_wait.causer_computed, .taken = lock_wait.computed});
    }

    void wait_at_finalize() {
        std::size_t last = 0;
        for (std::size_t i = 0; i < states_.size(); ++i)
            if (run_.calls[i].end >= run_.calls[last].end) last = i;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            const GlobalTime waited = run_.calls[last].end - run_.calls[i].end;
            if (waited <= 0) continue;
            keep(i, at_finalize(run_.ranks[i].rank, run_.ranks[last].rank, waited, run_.calls[i].ends_in),
                 run_.calls[i].end, run_.calls[last].end,
                 {.met = meetings_.last(i, run_.ranks[last].rank),
                  .computed = run_.calls[last].computed,
                  .taken = run_.calls[i].computed});
        }
    }

    std::optional<std::vector<RankWaitList>> take_all() {
        if (!has_room_) return {};
        std::vector<RankWaitList> all;
        for (State& state : states_) {
            put_in_order(state.waits);
            all.push_back({std::move(state.waits), state.rows.all(), state.order.take()});
        }
        return all;
    }

  private:
    struct State {
        PagedList<Wait> waits;
        WaitRows rows;
        ReceiveOrder order;
    };

    // What is known of computing is that of this thread.
    [[nodiscard]] bool is_of_first_thread(std::size_t rank, const Event& event) const {
        const RankCalls& calls = run_.calls[rank];
        return calls.lane_of(static_cast<std::size_t>(&event - run_.ranks[rank].events.data())) == calls.first_lane;
    }

    void see_order(std::size_t rank, const Event& event, const CallFacts& facts, const GivenBy<Extra>& given) {
        const CallPlace& place = run_.calls[rank].places[facts.place];
        const bool in_any_order = place.function == Function::Waitany || place.function == Function::Waitsome ||
                                  place.function == Function::Testany || place.function == Function::Testsome;
        if (in_any_order || !is_message(event.role()) ||
            kind_of_wait(event.role(), given.function) != WaitKind::late_sender)
            states_[rank].order.take_other(facts.computed);
        else
            states_[rank].order.receive({.place = place.address,
                                         .from = given.rank,
                                         .enter = facts.enter,
                                         .sent = given.at,
                                         .computed = facts.computed});
    }

    // Notes a meeting if in this collective each member waits for all others.
    void meet(std::size_t rank, const Event& event, const CallFacts& facts, GlobalTime given) {
        const CollectiveGroup& group = run_.ranks[rank].groups[event.index()];
        const Partners partners = Partners::from(event.number);
        if (group.takes_from != TakesFrom::all || group.first != group.size || !partners.any || partners.list != 0)
            return;
        const Function function = run_.calls[rank].places[facts.place].function;
        const bool blocking = is_collective(function) && mode_of(function) == Mode::blocking;
        meetings_.meet(rank, event.index(), blocking ? std::max(given, facts.enter) : given);
    }

    // Sorts the waits of a rank: its receivers found its late-receiver waits in another order. Where waits of several
    // threads overlap, the common time counts for the wait that ended first.
    static void put_in_order(PagedList<Wait>& waits) {
        const auto earlier = [](const Wait& a, const Wait& b) {
            return a.given != b.given ? a.given < b.given : a.enter < b.enter;
        };
        Wait* const begin = waits.data();
        if (!std::is_sorted(begin, begin + waits.size(), earlier)) std::sort(begin, begin + waits.size(), earlier);
        GlobalTime end = never;
        GlobalTime all = 0;
        for (Wait& wait : waits) {
            wait.enter = std::max(wait.enter, std::min(end, wait.given));
            wait.before = all;
            all += wait.time();
            end = wait.given;
        }
    }

    const RunEvents& run_;
    Meetings meetings_;
    std::vector<State> states_;
    tsl::robin_map<std::uint32_t, std::size_t> index_; // by rank
    bool has_room_ = true;
};

} // namespace

WaitRow at_finalize(std::uint32_t victim, std::uint32_t causer, GlobalTime waited, Function end) {
    return {.kind = WaitKind::finalize,
            .victim = victim,
            .causer = causer,
            .victim_function = end,
            .causer_function = end,
            .count = 1,
            .total = waited,
            .longest = waited};
}

std::optional<std::vector<RankWaitList>> list_waits(RunEvents& run, bool ends_together) {
    Listed lists{run};
    Waiting<Listed> waiting{run.ranks, run.calls, lists};
    LonelyWire wire;
    Engine<Waiting<Listed>>{run.ranks, run.matched, wire, waiting}.run();
    waiting.end(wire);
    lists.wait_for_locks();
    if (ends_together) lists.wait_at_finalize();
    return lists.take_all();
}

} // namespace tactus
