// The occasions on which all ranks come together to measure their clocks: VT_timesync, every VT_SYNC_PERIOD, and
// MPI_Finalize, where each rank's time map is computed from the measurements.
#include "base/errno_kept.hpp"
#include "base/locked.hpp"
#include "base/log.hpp"
#include "base/mpi/own_operation.hpp"
#include "base/thread_state_kept.hpp"
#include "collector/call.hpp"
#include "collector/clocks.hpp"
#include "collector/session.hpp"
#include "collector/sync_wire.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/policy.hpp"
#include "trace/fields.hpp"

#include <algorithm>
#include <string>

namespace tactus {

namespace {

std::string list_of(const std::vector<std::uint32_t>& ranks) {
    constexpr std::size_t most = 16;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < most; ++i)
        text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
    if (ranks.size() > most) text += " and " + std::to_string(ranks.size() - most) + " more";
    return text;
}

// Rank 0 hears from all ranks, the others only from rank 0. One rank of each clock prints this, not each of thousands.
void report_absent(std::uint32_t waiting, std::int64_t since_ns, const std::vector<std::uint32_t>& absent) {
    const double seconds = 1e-9 * static_cast<double>(monotonic_ns() - since_ns);
    if (waiting == 0)
        sayf("rank 0 has waited %.0f s in VT_timesync: %s did not call it, which every rank of MPI_COMM_WORLD must; "
             "still waiting",
             seconds, list_of(absent).c_str());
    else
        sayf("rank %u has waited %.0f s in VT_timesync for rank 0, which did not call it or waits for others itself; "
             "still waiting",
             waiting, seconds);
}

} // namespace

// All ranks send a message to rank 0, which answers when the last one has arrived. Only then does anything start that
// needs all ranks. A meeting is on the heap and is freed only when it is complete, because until then the MPI may write
// to it.
class Clocks::Meeting {
  public:
    Meeting(const Clocks& clocks, std::int64_t report_after_ns) : clocks_{clocks} {
        const std::uint32_t partners = clocks.rank_ == 0 ? clocks.ranks_ - 1 : 1;
        requests_.assign(partners, handle.REQUEST_NULL);
        words_.resize(partners);
        report_at_ns_ = report_after_ns == no_deadline ? no_deadline : since_ns_ + report_after_ns;
    }
    // False when not all ranks came by the deadline.
    bool hold(RoundReason reason, std::int64_t deadline_ns) {
        // The tags contain the reason, so that a rank that came for another reason does not count as present.
        const int arrival = tag(Tag::here, reason);
        const int answer = tag(Tag::answer, reason);
        if (clocks_.rank_ != 0) {
            MpiWire wire{clocks_.comm_, arrival, deadline_ns};
            return wire.send(0, 1) && receive(0, 0, answer) && wait(deadline_ns) && words_[0].front() != 0;
        }
        for (std::uint32_t i = 0; i < requests_.size(); ++i)
            if (!receive(i, i + 1, arrival)) return false;
        const bool all_came = wait(deadline_ns);
        // Absent ranks get the answer, too: a rank that comes later must not wait forever.
        MpiWire wire{clocks_.comm_, answer, deadline_ns};
        bool sent = true;
        for (std::uint32_t rank = 1; rank < clocks_.ranks_; ++rank) sent = wire.send(rank, all_came ? 1 : 0) && sent;
        return all_came && sent;
    }

  private:
    enum class Tag : int { here = 100, answer = 200 };
    static int tag(Tag kind, RoundReason reason) { return static_cast<int>(kind) + static_cast<int>(reason); }
    bool receive(std::size_t slot, std::uint32_t from, int which) {
        return pmpi.Irecv(words_[slot].data(), words_a_message, handle.UINT64_T, static_cast<int>(from), which,
                          clocks_.comm_, &requests_[slot]) == MPI_SUCCESS;
    }
    [[nodiscard]] std::vector<std::uint32_t> absent() const {
        if (clocks_.rank_ != 0) return {0};
        std::vector<std::uint32_t> ranks;
        for (std::uint32_t i = 0; i < requests_.size(); ++i)
            if (requests_[i] != handle.REQUEST_NULL) ranks.push_back(i + 1);
        return ranks;
    }
    bool wait(std::int64_t deadline_ns) {
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            while (!complete_by(requests_[i], std::min(deadline_ns, report_at_ns_))) {
                if (monotonic_ns() > deadline_ns || report_at_ns_ == no_deadline) return false;
                for (std::size_t other = i; other < requests_.size(); ++other) complete_by(requests_[other], 0);
                if (!absent().empty()) report_absent(clocks_.rank_, since_ns_, absent());
                report_at_ns_ = no_deadline; // once
            }
        }
        return true;
    }

    const Clocks& clocks_;
    std::vector<MPI_Request> requests_;
    std::vector<WireMessage> words_;
    std::int64_t since_ns_ = monotonic_ns();
    std::int64_t report_at_ns_;
};

bool Clocks::gather(RoundReason reason, std::int64_t deadline_ns) {
    if (ranks_ == 1) return true;
    const bool reports = reason == RoundReason::timesync && settings_.duration_ns > 0 && (rank_ == 0 || speaks_);
    auto* const meeting = new Meeting{*this, reports ? settings_.duration_ns : no_deadline};
    if (!meeting->hold(reason, deadline_ns)) return false;
    delete meeting;
    return true;
}

void Clocks::synchronize() {
    const Ticks begin = now();
    if (!gather(RoundReason::timesync, no_deadline)) return stop(false);
    if (!round(comm_, RoundReason::timesync, no_deadline) || !renew_online(comm_)) return stop(false);
    last_round_ns_ = monotonic_ns();
    note(begin, RoundReason::timesync);
}

// Adds the time since `begin` to the thread's delay, and records it in the lane unless the thread is in a nested call.
void Clocks::note(Ticks begin, RoundReason reason) {
    if (reason != RoundReason::init) {
        const Ticks end = now();
        if (end > begin) measuring_ += end - begin;
        late_by(ns_passed(begin, end));
    }
    if (thread.depth != 1 || thread.lane == nullptr || !session->live()) return;
    Record record;
    record.enter = begin;
    record.leave = thread.lane->stamp();
    record.what.kind = Kind::sync;
    record.what.type = static_cast<std::uint32_t>(reason);
    thread.lane->note(record);
}

void after_collective(Call& call, MPI_Comm comm) {
    if (comm != handle.COMM_WORLD || thread.depth != 1 || session == nullptr) return;
    const ErrnoKept kept;
    call.store();
    session->clocks().count_collective();
}

// Rank 0 decides by its clock whether a round is due, and after how many more collectives it decides again. That is
// about four times a period. The number at most quadruples each time, because quick calls may become slow.
void Clocks::count_collective() {
    if (++collectives_ != next_check_) return;
    const ThreadStateKept kept;
    struct Decision {
        std::uint32_t measure;
        std::uint32_t next;
    };
    Decision decision{};
    if (rank_ == 0) {
        const std::int64_t ns = monotonic_ns();
        const auto calls = static_cast<double>(collectives_ - checked_at_);
        const double each_ns = std::max(1.0, static_cast<double>(ns - checked_ns_)) / calls;
        const double wanted = static_cast<double>(settings_.period_ns) / (4 * each_ns);
        constexpr double most_growth = 4; // quick calls may become slow
        constexpr double farthest = 1000;
        decision.next = static_cast<std::uint32_t>(std::clamp(std::min(wanted, most_growth * calls), 1.0, farthest));
        decision.measure = ns - last_round_ns_ >= settings_.period_ns ? 1 : 0;
        checked_ns_ = ns;
        checked_at_ = collectives_;
    }
    const Ticks begin = now();
    if (!Together{session->comm(), no_deadline}.broadcast(decision)) {
        clocks_are_periodic = false;
        return;
    }
    next_check_ = collectives_ + decision.next;
    if (decision.measure == 0) {
        constexpr double long_ns = 10'000; // a longer wait for rank 0 must not look like computing
        if (static_cast<double>(now() - begin) * ns_per_tick_ > long_ns) note(begin, RoundReason::period);
        return;
    }
    if (!round(session->comm(), RoundReason::period, no_deadline) || !renew_online(session->comm()))
        clocks_are_periodic = false;
    last_round_ns_ = monotonic_ns();
    note(begin, RoundReason::period);
}

bool Clocks::finish(const ClockFacts& own, std::int64_t deadline_ns, Definitions& more) {
    if (!usable() || !gather(RoundReason::finalize, deadline_ns)) return false;
    // All ranks are here, but some may have stopped measuring before. So the round may take twice its duration and 10
    // s.
    constexpr std::int64_t slack_ns = 10'000'000'000;
    deadline_ns = std::min(deadline_ns, monotonic_ns() + 2 * settings_.duration_ns + slack_ns);
    const bool measured = round(comm_, RoundReason::finalize, deadline_ns);
    for (const SyncRound& round : rounds_)
        if (round.reason == RoundReason::finalize) more.sync_rounds.push_back(round);
    if (!measured) return false;
    ClockFacts facts = own;
    facts.place = place_;
    facts.rounds = std::move(rounds_);
    TimeMap map;
    if (!hand_map_on(comm_, facts, deadline_ns, map)) return false;
    more.time_maps.push_back(std::move(map));
    return true;
}

void Clocks::stop(bool together) {
    if (together && usable()) pmpi.Comm_free(&comm_);
    comm_ = MPI_Comm{};
}

TimeMap Clocks::map_by_date(const ClockFacts& facts) const {
    const Anchor& begin = facts.anchors.front();
    const double ahead_ns = ns_between(settings_.origin_realtime_ns, begin.realtime_ns);
    return straight(begin.tick, time_of_ns(ahead_ns), ns_per_tick(facts.timer, begin, facts.anchors.back()));
}

// Receives the master's time map, computes this rank's, and sends it to the ranks whose master this one is.
bool Clocks::hand_map_on(MPI_Comm comm, const ClockFacts& facts, std::int64_t deadline_ns, TimeMap& map) {
    if (facts.place.relation == ClockRelation::reference) {
        map = map_of_reference(facts);
    } else {
        Bytes from_master;
        if (!receive_bytes(comm, facts.place.master, from_master, deadline_ns)) return false;
        TimeMap master;
        ByteReader reader{from_master};
        read_value(reader, master);
        if (master.is_sound()) {
            map = fit_clock(settings_.fit, facts, master, map_by_date(facts)).map;
        } else { // ranks whose master this one is wait for its map all the same
            map = map_by_date(facts);
            map.notes.push_back({.trouble = ClockTrouble::no_master, .tick = map.knots.front().tick});
        }
    }
    map.fit = settings_.fit;
    Bytes bytes;
    write_value(bytes, map);
    for (const auto& followers : {children_, members_})
        for (const std::uint32_t rank : followers)
            if (!send_bytes(comm, rank, bytes, deadline_ns)) return false;
    return true;
}

// Computes the map of this clock that is used while the program runs. Ranks that share a clock get the same map, so
// their times can be compared however wrong it is.
bool Clocks::renew_online(MPI_Comm comm) {
    if (!piggyback_policy.on) return true;
    ClockFacts facts{.place = place_,
                     .timer = timer_,
                     .timer_resolution = timer_resolution_,
                     .anchors = {start_, read_anchor()},
                     .rounds = {}};
    {
        constexpr std::size_t newest = 4;
        const Locked hold{lock_};
        facts.rounds.assign(rounds_.end() - static_cast<std::ptrdiff_t>(std::min(newest, rounds_.size())),
                            rounds_.end());
    }
    TimeMap map;
    if (!hand_map_on(comm, facts, no_deadline, map)) return false;
    const ClockKnot& last = map.knots.back();
    const bool by_date = !settings_.synced_cluster && facts.place.relation != ClockRelation::reference &&
                         std::any_of(map.notes.begin(), map.notes.end(), [](const ClockNote& note) {
                             return note.trouble == ClockTrouble::no_round || note.trouble == ClockTrouble::no_master;
                         });
    double widest[2] = {by_date ? 1e18 : last.half_width_ns, map.drift_ppm}; // over all ranks
    if (!Together{comm, no_deadline}.reduce(widest, handle.MAX)) return false;
    const bool all_share = std::all_of(shared_.begin(), shared_.end(), [](bool same) { return same; });
    // The previous map is not freed, because another thread may be using it.
    piggyback_host.clock.store(new OnlineClock{.tick = last.tick,
                                               .time_ns = to_ns(last.time),
                                               .ns_per_tick = last.rate,
                                               .half_width_ns = widest[0],
                                               .drift = widest[1] * 1e-6,
                                               .one_for_all = all_share,
                                               .shared = shared_},
                               std::memory_order_release); // pairs with clock_now()
    return true;
}

} // namespace tactus
