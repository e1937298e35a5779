#include "postproc/waits/waits.hpp"

#include "postproc/replay/engine.hpp"
#include "postproc/waits/wait_rows.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tactus {
namespace {

struct Given {
    GlobalTime at = 0;
    // In which call a sender stood until its message was received; until <= from: in none.
    GlobalTime from = 0;
    GlobalTime until = 0;
    std::uint64_t place = 0;
    std::uint64_t completed_at = 0; // its place
    std::uint32_t rank = 0;
    Function function{};
    Function completed_by{};
};

WaitKind kind_of(Role role, Function giver) {
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
    default: // and what makes communicators, and MPI_Start of whatever it is
        return WaitKind::all_to_all;
    }
}

class Waiting {
  public:
    static constexpr bool independent = true;
    using Note = Given;
    // The later; of two at the same time that of the lower rank.
    static Note stronger(const Note& a, const Note& b) {
        if (a.at != b.at) return a.at > b.at ? a : b;
        return a.rank <= b.rank ? a : b;
    }

    Waiting(const std::vector<RankEvents>& ranks, const std::vector<RankCalls>& calls)
        : ranks_{ranks}, calls_{calls}, found_(ranks.size()) {}

    Note give(std::size_t rank, Event& event) {
        const CallFacts& facts = facts_of(rank, event);
        const CallPlace& place = calls_[rank].places[facts.place];
        const CallPlace& completed = calls_[rank].places[facts.completed_at];
        return {.at = event.stamp,
                .from = facts.enter,
                .until = facts.until,
                .place = place.address,
                .completed_at = completed.address,
                .rank = ranks_[rank].rank,
                .function = place.function,
                .completed_by = completed.function};
    }
    void pass(std::size_t, Event&) {}
    void take(std::size_t rank, Event& event, const Note& given) {
        Found& found = found_[rank];
        const CallFacts& facts = facts_of(rank, event);
        const CallPlace& place = calls_[rank].places[facts.place];
        if (found.last && found.last->enter != facts.enter) end_call(found);
        if (is_message(event.role())) {
            see_order(found, given);
            see_sender(found, rank, facts, place, given);
        }
        const GlobalTime waited = std::min(given.at, event.stamp) - facts.enter;
        if (waited <= 0 || (found.last && found.last->waited >= waited)) return;
        found.last = {.enter = facts.enter,
                      .waited = waited,
                      .given = given.at,
                      .row = {.kind = kind_of(event.role(), given.function),
                              .victim = ranks_[rank].rank,
                              .causer = given.rank,
                              .victim_function = place.function,
                              .causer_function = given.function,
                              .victim_place = place.address,
                              .causer_place = given.place}};
    }

    std::vector<RankWaits> take_all() {
        constexpr std::size_t most = 2000; // rows of a rank
        std::vector<RankWaits> all(found_.size());
        for (std::size_t i = 0; i < found_.size(); ++i) {
            end_call(found_[i]);
            found_[i].rows.take(most, all[i].rows, all[i].others);
            all[i].begin = calls_[i].begin;
            all[i].end = calls_[i].end;
            all[i].computed = calls_[i].computed;
        }
        return all;
    }

  private:
    struct Wait { // the longest of a call
        GlobalTime enter = 0;
        GlobalTime waited = 0;
        GlobalTime given = 0;
        WaitRow row;
    };
    struct Late { // a late sender, of whom an earlier message may still be received
        std::uint32_t sender = UINT32_MAX;
        GlobalTime given = 0;
        GlobalTime waited = 0;
        WaitRows::Row row = 0;
    };
    struct Found {
        WaitRows rows;
        std::optional<Wait> last;
        std::array<Late, 16> late;
        std::size_t next_late = 0;
    };

    const CallFacts& facts_of(std::size_t rank, const Event& event) const {
        return calls_[rank].facts[static_cast<std::size_t>(&event - ranks_[rank].events.data())];
    }

    static void end_call(Found& found) {
        if (!found.last) return;
        const Wait& wait = *found.last;
        const WaitRows::Row row = found.rows.add(wait.row, wait.waited);
        if (wait.row.kind == WaitKind::late_sender) {
            found.late[found.next_late] = {wait.row.causer, wait.given, wait.waited, row};
            found.next_late = (found.next_late + 1) % found.late.size();
        }
        found.last.reset();
    }

    // Whether one that was waited for came while this was there.
    static void see_order(Found& found, const Note& given) {
        for (Late& late : found.late)
            if (late.sender == given.rank && given.at < late.given) {
                found.rows.rename(late.row, WaitKind::wrong_order, late.waited);
                late.sender = UINT32_MAX;
            }
    }

    // The sender's wait is found here, where it is known when the receive was posted.
    void see_sender(Found& found, std::size_t rank, const CallFacts& facts, const CallPlace& place, const Note& given) {
        if (given.until <= given.from || facts.until <= given.from || facts.until > given.until) return;
        found.rows.add({.kind = WaitKind::late_receiver,
                        .victim = given.rank,
                        .causer = ranks_[rank].rank,
                        .victim_function = given.completed_by,
                        .causer_function = place.function,
                        .victim_place = given.completed_at,
                        .causer_place = place.address},
                       facts.until - given.from);
    }

    const std::vector<RankEvents>& ranks_;
    const std::vector<RankCalls>& calls_;
    std::vector<Found> found_;
};

} // namespace

std::vector<RankWaits> find_waits(std::vector<RankEvents>& ranks, const Agreed& agreed, ReplayWire& wire,
                                  const std::vector<RankCalls>& calls) {
    Waiting waiting{ranks, calls};
    Engine<Waiting>{ranks, agreed, wire, waiting}.run();
    return waiting.take_all();
}

} // namespace tactus
