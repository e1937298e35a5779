// Finds waits while the events of ranks are played (waits.hpp defines waits), and passes each to a keeper:
//   struct Keeper {
//       static constexpr bool independent = ...;  // as for a visitor (engine.hpp)
//       using Extra = ...;  // trivially copyable: facts about the rank that gave, then about a wait
//       Extra give(std::size_t rank, const Event&, const CallFacts&);
//       Extra take(std::size_t rank, const Event&, const CallFacts&, const GivenBy<Extra>&);
//       Extra receive(std::size_t rank, const CallFacts&, const GivenBy<Extra>&);  // for a sender that waited
//       void keep(std::size_t rank, const WaitRow&, GlobalTime enter, GlobalTime given, const Extra&);
//   };
// `rank` is the index of the rank whose event it is.
#pragma once

#include "postproc/replay/rank_events.hpp"
#include "postproc/replay/wire.hpp"
#include "postproc/waits/call_facts.hpp"
#include "trace/shapes.hpp"
#include "trace/wait_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tactus {

inline WaitKind kind_of_wait(Role role, Function giver) {
    if (is_message(role)) return giver == Function::Win_complete ? WaitKind::late_complete : WaitKind::late_sender;
    if (giver == Function::Win_fence) return WaitKind::fence;
    switch (pattern_of(shape_of(giver))) {
    case Pattern::barrier:
        return WaitKind::barrier;
    case Pattern::one_to_all:
        return WaitKind::late_broadcast;
    case Pattern::all_to_one:
        return WaitKind::early_reduce;
    case Pattern::prefix:
        return WaitKind::prefix;
    case Pattern::neighbors:
        return WaitKind::neighbors;
    default: // also calls that make communicators, and any MPI_Start
        return WaitKind::all_to_all;
    }
}

template <class Extra> struct GivenBy {
    GlobalTime at = 0;
    // The call in which the sender may have waited until its message was received. If until <= from, there is none.
    GlobalTime from = 0;
    GlobalTime until = 0;
    std::uint64_t place = 0;
    std::uint64_t completed_at = 0; // place of that call
    std::uint32_t rank = 0;
    Function function{};
    Function completed_by{};
    bool with_others = false; // that call completed other sends, too
    [[no_unique_address]] Extra extra{};
};

template <class Keeper> class Waiting {
  public:
    static constexpr bool independent = Keeper::independent;
    using Extra = typename Keeper::Extra;
    using Note = GivenBy<Extra>;
    // Gives the later note; of two at the same time, the note of the lower rank.
    static Note stronger(const Note& a, const Note& b) {
        if (a.at != b.at) return a.at > b.at ? a : b;
        return a.rank <= b.rank ? a : b;
    }

    Waiting(const std::vector<RankEvents>& ranks, const std::vector<RankCalls>& calls, Keeper& keeper)
        : ranks_{ranks}, calls_{calls}, keeper_{keeper}, found_(ranks.size()) {}

    Note give(std::size_t rank, Event& event) {
        const CallFacts& facts = facts_of(rank, event);
        if constexpr (!independent) end_other_call(rank, facts);
        const CallPlace& place = calls_[rank].places[facts.place];
        const CallPlace& completed = calls_[rank].places[facts.completed_at()];
        return {.at = event.stamp,
                .from = facts.enter,
                .until = facts.until,
                .place = place.address,
                .completed_at = completed.address,
                .rank = ranks_[rank].rank,
                .function = place.function,
                .completed_by = completed.function,
                .with_others = facts.with_others(),
                .extra = keeper_.give(rank, event, facts)};
    }
    void pass(std::size_t rank, Event& event) { calls_[rank].pass(number_of(rank, event)); }
    void take(std::size_t rank, Event& event, const Note& given) {
        pass(rank, event);
        Found& found = found_[rank];
        const CallFacts& facts = facts_of(rank, event);
        const CallPlace& place = calls_[rank].places[facts.place];
        end_other_call(rank, facts);
        const WaitKind kind = kind_of_wait(event.role(), given.function);
        if (kind == WaitKind::late_sender) {
            see_order(rank, given);
            see_sender(rank, facts, place, given);
        }
        const Extra about = keeper_.take(rank, event, facts, given);
        const GlobalTime waited = std::min(given.at, event.stamp) - facts.enter;
        if (waited <= 0 || (found.last && found.last->waited >= waited)) return;
        found.last = {.enter = facts.enter,
                      .waited = waited,
                      .given = given.at,
                      .row = {.kind = kind,
                              .victim = ranks_[rank].rank,
                              .causer = given.rank,
                              .victim_function = place.function,
                              .causer_function = given.function,
                              .victim_place = place.address,
                              .causer_place = given.place},
                      .about = about};
    }

    // Collective over the wire. Called after all events were played.
    void end(ReplayWire& wire) {
        for (std::size_t i = 0; i < found_.size(); ++i) {
            end_call(i);
            for (const Wait& late : found_[i].late) keep(i, late);
        }
        end_late_receivers(wire);
    }

  private:
    struct Wait { // the longest wait of a call
        GlobalTime enter = 0;
        GlobalTime waited = 0; // 0: no wait
        GlobalTime given = 0;
        WaitRow row;
        [[no_unique_address]] Extra about{};
    };
    struct Found {
        std::optional<Wait> last;
        // The last waits for late senders. Earlier messages of these senders may still be received.
        std::array<Wait, 16> late;
        std::size_t next_late = 0;
        // The latest time at which one of the awaited messages was given.
        GlobalTime latest = std::numeric_limits<GlobalTime>::min();
    };
    struct LateReceiver {
        std::uint32_t to = 0; // the rank that sent, and waited
        std::uint32_t causer = 0;
        GlobalTime enter = 0;
        GlobalTime posted = 0;
        std::uint64_t victim_place = 0;
        std::uint64_t causer_place = 0;
        Function victim_function{};
        Function causer_function{};
        [[no_unique_address]] Extra about{};
    };

    [[nodiscard]] std::size_t number_of(std::size_t rank, const Event& event) const {
        return static_cast<std::size_t>(&event - ranks_[rank].events.data());
    }
    const CallFacts& facts_of(std::size_t rank, const Event& event) const {
        return calls_[rank].facts[number_of(rank, event)];
    }

    void end_other_call(std::size_t rank, const CallFacts& facts) {
        if (found_[rank].last && found_[rank].last->enter != facts.enter) end_call(rank);
    }

    void end_call(std::size_t rank) {
        Found& found = found_[rank];
        if (!found.last) return;
        if (found.last->row.kind == WaitKind::late_sender) {
            keep(rank, std::exchange(found.late[found.next_late], *found.last));
            found.next_late = (found.next_late + 1) % found.late.size();
            found.latest = std::max(found.latest, found.last->given);
        } else {
            keep(rank, *found.last);
        }
        found.last.reset();
    }

    void keep(std::size_t rank, const Wait& wait) {
        if (wait.waited > 0) keeper_.keep(rank, wait.row, wait.enter, wait.enter + wait.waited, wait.about);
    }

    // A wait for a late sender becomes one for messages in wrong order if that sender had sent the message that is
    // received now before the message that was waited for.
    void see_order(std::size_t rank, const Note& given) {
        if (given.at >= found_[rank].latest) return;
        for (Wait& late : found_[rank].late)
            if (late.row.causer == given.rank && given.at < late.given) late.row.kind = WaitKind::wrong_order;
    }

    // The receiver finds the sender's wait, because it knows when the receive was posted.
    void see_sender(std::size_t rank, const CallFacts& facts, const CallPlace& place, const Note& given) {
        if (given.until <= given.from || facts.until <= given.from || facts.until > given.until) return;
        const LateReceiver receiver{.to = given.rank,
                                    .causer = ranks_[rank].rank,
                                    .enter = given.from,
                                    .posted = facts.until,
                                    .victim_place = given.completed_at,
                                    .causer_place = place.address,
                                    .victim_function = given.completed_by,
                                    .causer_function = place.function,
                                    .about = keeper_.receive(rank, facts, given)};
        if (given.with_others)
            late_receivers_.push_back(receiver);
        else
            keep(rank, receiver);
    }

    void keep(std::size_t rank, const LateReceiver& receiver) {
        keeper_.keep(rank,
                     WaitRow{.kind = WaitKind::late_receiver,
                             .victim = receiver.to,
                             .causer = receiver.causer,
                             .victim_function = receiver.victim_function,
                             .causer_function = receiver.causer_function,
                             .victim_place = receiver.victim_place,
                             .causer_place = receiver.causer_place},
                     receiver.enter, receiver.posted, receiver.about);
    }

    // A call that completes many sends waits once, until the last receive is posted. Only the sender's process sees all
    // of them and can tell which is last.
    void end_late_receivers(ReplayWire& wire) {
        std::vector<LateReceiver> all = wire.exchange(late_receivers_);
        std::sort(all.begin(), all.end(), [](const LateReceiver& a, const LateReceiver& b) {
            return std::tuple{a.to, a.enter, b.posted, a.causer, a.causer_place} <
                   std::tuple{b.to, b.enter, a.posted, b.causer, b.causer_place};
        });
        std::size_t rank = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const LateReceiver& receiver = all[i];
            if (i > 0 && all[i - 1].to == receiver.to && all[i - 1].enter == receiver.enter) continue;
            while (rank < ranks_.size() && ranks_[rank].rank < receiver.to) ++rank;
            if (rank == ranks_.size() || ranks_[rank].rank != receiver.to) continue; // only after the wire broke
            keep(rank, receiver);
        }
    }

    const std::vector<RankEvents>& ranks_; // by rank
    const std::vector<RankCalls>& calls_;
    Keeper& keeper_;
    std::vector<Found> found_;
    std::vector<LateReceiver> late_receivers_;
};

} // namespace tactus
