#include "postproc/waits/wait_list.hpp"

#include "postproc/replay/engine.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/waits/wait_rows.hpp"
#include "postproc/waits/waiting.hpp"

#include <limits>

namespace tactus {
namespace {

const GlobalTime never = playable(std::numeric_limits<GlobalTime>::min()); // before all that is played

class Listed {
  public:
    static constexpr bool independent = false;
    struct Extra {
        GlobalTime met = never;
        GlobalTime computed = 0; // by who gave
        GlobalTime taken = 0;    // computed by who took
    };

    explicit Listed(const RunEvents& run) : run_{run} {
        for (std::size_t i = 0; i < run.ranks.size(); ++i) {
            states_.emplace_back();
            states_.back().circles.resize(run.ranks[i].circles.size(), never);
            index_[run.ranks[i].rank] = i;
        }
    }

    Extra give(std::size_t rank, const Event& event, const CallFacts& facts) {
        Extra extra{.computed = facts.computed};
        if (is_message(event.role())) extra.met = met(rank, run_.ranks[rank].channels[event.place()].peer);
        return extra;
    }

    Extra take(std::size_t rank, const Event& event, const CallFacts& facts, const GivenBy<Extra>& given,
               WaitKind kind) {
        State& state = states_[rank];
        Extra about = given.extra;
        about.taken = facts.computed;
        about.met = std::max({about.met, met(rank, given.rank), state.everyone});
        if (given.at > facts.enter) meet(rank, given.rank, given.at);
        if (is_message(event.role())) return about;
        GlobalTime& of_circle = state.circles[event.place()];
        about.met = std::max(about.met, of_circle);
        if (kind == WaitKind::barrier || kind == WaitKind::all_to_all || kind == WaitKind::fence) {
            const Circle& circle = run_.ranks[rank].circles[event.place()];
            of_circle = std::max(given.at, facts.enter);
            if (circle.size == run_.ranks.size()) state.everyone = of_circle;
        }
        return about;
    }

    Extra receive(std::size_t rank, const CallFacts& facts, const GivenBy<Extra>& given) {
        const GlobalTime before = std::max({given.extra.met, met(rank, given.rank), states_[rank].everyone});
        meet(rank, given.rank, facts.until);
        return {.met = before, .computed = facts.computed, .taken = given.extra.computed};
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

    void wait_at_finalize() {
        if (std::any_of(run_.ranks.begin(), run_.ranks.end(), [](const RankEvents& rank) { return rank.cut; })) return;
        std::size_t last = 0;
        for (std::size_t i = 0; i < states_.size(); ++i)
            if (run_.calls[i].end >= run_.calls[last].end) last = i;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            const GlobalTime waited = run_.calls[last].end - run_.calls[i].end;
            if (waited <= 0) continue;
            const GlobalTime together =
                std::max({states_[i].everyone, met(i, run_.ranks[last].rank), met(last, run_.ranks[i].rank)});
            keep(i, at_finalize(run_.ranks[i].rank, run_.ranks[last].rank, waited), run_.calls[i].end,
                 run_.calls[last].end,
                 {.met = together, .computed = run_.calls[last].computed, .taken = run_.calls[i].computed});
        }
    }

    std::optional<std::vector<RankWaitList>> take_all() {
        if (!has_room_) return {};
        std::vector<RankWaitList> all;
        for (State& state : states_) {
            put_in_order(state.waits);
            all.push_back({std::move(state.waits), state.rows.all()});
        }
        return all;
    }

  private:
    struct State {
        PagedList<Wait> waits;
        WaitRows rows;
        tsl::robin_map<std::uint32_t, GlobalTime> met;
        std::vector<GlobalTime> circles; // when all members of each were together last
        GlobalTime everyone = never;     // and those of one that has all ranks
    };

    [[nodiscard]] GlobalTime met(std::size_t rank, std::uint32_t other) const {
        const auto known = states_[rank].met.find(other);
        return known == states_[rank].met.end() ? never : known->second;
    }

    void meet(std::size_t rank, std::uint32_t other, GlobalTime at) {
        GlobalTime& last = states_[rank].met.try_emplace(other, never).first.value();
        last = std::max(last, at);
    }

    // A sender's waits were found by its receivers, and several threads wait at the same time: then the first does.
    static void put_in_order(PagedList<Wait>& waits) {
        const auto later = [](const Wait& a, const Wait& b) {
            return a.given != b.given ? a.given < b.given : a.enter < b.enter;
        };
        Wait* const begin = waits.data();
        if (!std::is_sorted(begin, begin + waits.size(), later)) std::sort(begin, begin + waits.size(), later);
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
    std::vector<State> states_;
    tsl::robin_map<std::uint32_t, std::size_t> index_; // by rank
    bool has_room_ = true;
};

} // namespace

WaitRow at_finalize(std::uint32_t victim, std::uint32_t causer, GlobalTime waited) {
    return {.kind = WaitKind::finalize,
            .victim = victim,
            .causer = causer,
            .victim_function = Function::Finalize,
            .causer_function = Function::Finalize,
            .count = 1,
            .total = waited,
            .longest = waited};
}

std::optional<std::vector<RankWaitList>> list_waits(RunEvents& run) {
    Listed lists{run};
    Waiting<Listed> waiting{run.ranks, run.calls, lists};
    LonelyWire wire;
    Engine<Waiting<Listed>>{run.ranks, run.agreed, wire, waiting}.run();
    waiting.end(wire);
    lists.wait_at_finalize();
    return lists.take_all();
}

} // namespace tactus
