#include "collector/clocks.hpp"

#include "base/host.hpp"
#include "base/locked.hpp"
#include "base/log.hpp"
#include "base/mpi/own_operation.hpp"
#include "collector/session.hpp"
#include "collector/sync_wire.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tactus {
namespace {

// Tags on tactus's communicators.
enum Tag : int { clock_exchange = 1, verdict, on_host };

constexpr std::uint64_t messages_on_host = 16; // enough to see that two clocks are one
constexpr int barriers_a_round = 3;
constexpr int most_repeats = 2;
constexpr double far_wider = 3;

std::uint64_t hash(const std::string& text) { return XXH3_64bits(text.data(), text.size()); }

// What two ranks must have in common to share a clock.
std::uint64_t clock_identity(const SyncSettings& settings, const Header& header) {
    if (settings.synced_host == SyncedHost::off && !settings.synced_cluster) return header.rank;
    const std::string& machine = header.boot_id.empty() ? header.host : header.boot_id;
    return hash(machine + '\n' + name_of(header.timer));
}

std::uint64_t machine_identity() {
    const std::string boot = boot_id();
    return hash(boot.empty() ? host_name() : boot);
}

// The width of a round, in nanoseconds of this rank's clock: half of the quickest round trip, which bounds the offset.
double width_of(const SyncRound& round, double ns_per_tick) {
    Ticks least = ~Ticks{0};
    for (const SyncSample& sample : round.samples) least = std::min(least, sample.received - sample.sent);
    return round.samples.empty() ? 0 : static_cast<double>(least) * ns_per_tick / 2;
}

} // namespace

SyncSettings sync_settings(const Options& options, const Anchor& start) {
    constexpr std::uint64_t most_messages = 100'000; // each sample is kept
    constexpr std::int64_t day_ns = 86'400'000'000'000;
    return {.messages = std::min(options.count(Option::sync_max_messages), most_messages),
            .duration_ns = std::clamp(options.nanoseconds(Option::sync_max_duration), std::int64_t{0}, day_ns),
            .period_ns = options.sync_period_ns(),
            .topology = options.topology(),
            .synced_host = options.synced_host(),
            .synced_cluster = options.on(Option::synced_cluster),
            .fit = options.fit(),
            .origin_realtime_ns = start.realtime_ns};
}

void Clocks::start(const SyncSettings& settings, const Header& header, bool recorded) {
    settings_ = settings;
    rank_ = header.rank;
    ranks_ = header.ranks;
    timer_ = header.timer;
    timer_resolution_ = header.timer_resolution;
    start_ = header.start;
    if (!begin(header, recorded)) stop(false);
}

bool Clocks::begin(const Header& header, bool recorded) {
    const Ticks begin = now();
    if (!Together{session->comm(), no_deadline}.duplicate(comm_)) return false;
    ns_per_tick_ = ns_per_tick(header.timer, header.start, read_anchor());
    if (!learn_peers(header, recorded)) return false;
    take_place();
    if (!compare_on_host()) return false;
    take_place();
    if (session->live()) {
        Definitions more;
        more.clock_places.push_back(place_);
        session->writer().add_definitions(more);
    }
    last_round_ns_ = checked_ns_ = monotonic_ns();
    if (!round(comm_, RoundReason::init, no_deadline) || !renew_online(comm_)) return false;
    note(begin, RoundReason::init);
    clocks_are_periodic = settings_.period_ns > 0;
    return true;
}

bool Clocks::learn_peers(const Header& header, bool recorded) {
    const Peer own{.clock = clock_identity(settings_, header),
                   .machine = machine_identity(),
                   .cores = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)),
                   .recorded = recorded ? 1U : 0U,
                   .same = 1};
    peers_.resize(ranks_);
    if (!Together{comm_, no_deadline}.gather(own, peers_)) return false;
    const auto missing =
        std::find_if(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.recorded == 0; });
    if (missing != peers_.end() && settings_.period_ns > 0) {
        settings_.period_ns = 0; // that rank's collectives go straight to the MPI, uncounted
        if (rank_ == 0) say("VT_SYNC_PERIOD is off: not every rank is recorded");
    }
    return true;
}

bool Clocks::is_crowded(std::uint32_t rank) const {
    const Peer& own = peers_[rank];
    const auto together =
        std::count_if(peers_.begin(), peers_.end(), [&](const Peer& peer) { return peer.machine == own.machine; });
    return together > static_cast<std::ptrdiff_t>(own.cores);
}

// Computes this rank's place from peers_, which is the same on all ranks. The leader of a clock is the first rank that
// has it.
void Clocks::take_place() {
    std::map<std::uint64_t, std::uint32_t> leader_of_clock;
    std::vector<std::uint32_t> leaders;
    std::vector<std::size_t> index_of_leader(ranks_, 0);
    std::vector<std::uint32_t> leader_of(ranks_);
    members_.clear();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        std::uint32_t leader = leader_of_clock.try_emplace(peers_[rank].clock, rank).first->second;
        if (peers_[rank].same == 0) leader = rank;
        leader_of[rank] = leader;
        if (leader == rank) {
            index_of_leader[rank] = leaders.size();
            leaders.push_back(rank);
        } else if (leader == rank_) {
            members_.push_back(rank);
        }
    }
    const std::size_t index = index_of_leader[leader_of[rank_]];
    const Topology topology = settings_.duration_ns == 0 ? Topology::star : settings_.topology; // barriers have no tree
    const TreePlace place = place_in_tree(topology, index, leaders.size());
    children_.clear();
    place_ = {.relation = rank_ == 0 ? ClockRelation::reference : ClockRelation::measured,
              .master = leaders[place.parent],
              .level = place.level};
    at_once_ = place.at_once;
    limits_ = {.messages = settings_.messages, .duration_ns = settings_.duration_ns / place.turns};
    if (leader_of[rank_] != rank_)
        place_ = {.relation = ClockRelation::shared, .master = leader_of[rank_], .level = place.level};
    else
        for (const std::size_t child : place.children) children_.push_back(leaders[child]);
    crowded_ = is_crowded(rank_) || is_crowded(place_.master);
    shared_.resize(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) shared_[rank] = leader_of[rank] == leader_of[rank_];
    const auto second = std::find(leader_of.begin() + 1, leader_of.end(), leader_of[rank_]);
    speaks_ = second == leader_of.begin() + rank_;
}

// Two ranks of a host that both read the TSC do not always share it (a virtual machine, another time namespace). A few
// messages show whether they do.
bool Clocks::compare_on_host() {
    if (settings_.synced_cluster || settings_.synced_host != SyncedHost::automatic) return true;
    MpiWire wire{comm_, on_host, no_deadline, crowded_};
    std::uint32_t same = 1;
    if (place_.relation == ClockRelation::shared) {
        SyncRound round;
        if (!measure(wire, place_.master, round.samples)) return false;
        same = is_one_clock({&round, 1}) ? 1 : 0;
    } else if (!serve(wire, members_, {.messages = messages_on_host, .duration_ns = no_deadline / 4})) {
        return false;
    }
    std::vector<std::uint32_t> verdicts(ranks_);
    if (!Together{comm_, no_deadline}.gather(same, verdicts)) return false;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) peers_[rank].same = verdicts[rank];
    return true;
}

bool Clocks::round(MPI_Comm comm, RoundReason reason, std::int64_t deadline_ns) {
    SyncRound round{.reason = reason, .number = 0, .master = place_.master, .crowded = crowded_, .samples = {}};
    {
        const Locked hold{lock_};
        round.number = next_round_++;
    }
    if (settings_.synced_cluster) return true;
    const bool good = settings_.duration_ns == 0 ? round_of_barriers(comm, round, deadline_ns)
                                                 : round_of_messages(comm, round, deadline_ns);
    if (!round.samples.empty()) keep(std::move(round));
    return good;
}

void Clocks::keep(SyncRound&& round) {
    Definitions more;
    more.sync_rounds.push_back(round);
    if (session->live()) session->writer().add_definitions(more);
    if (!round.rejected && place_.relation == ClockRelation::measured) {
        const double width = width_of(round, ns_per_tick_);
        const double narrowest = narrowest_ns_;
        narrowest_ns_ = narrowest == 0 ? width : std::min(narrowest, width);
    }
    const Locked hold{lock_};
    // The fit leaves out rejected rounds, so they need not be kept once they are in the file.
    if (!round.rejected || round.reason == RoundReason::finalize) rounds_.push_back(std::move(round));
}

bool Clocks::round_of_messages(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns) {
    MpiWire wire{comm, clock_exchange, deadline_ns, crowded_};
    if (place_.relation == ClockRelation::measured && !measure(wire, place_.master, round.samples)) return false;
    if (!serve_children(wire, children_)) return false;
    if (!reject_and_repeat_wide_rounds(comm, round, deadline_ns)) return false;
    if (settings_.synced_host != SyncedHost::automatic) return true;
    // Measure whether the ranks of a host that share a clock still agree.
    MpiWire host{comm, on_host, deadline_ns, crowded_};
    if (place_.relation == ClockRelation::shared) return measure(host, place_.master, round.samples);
    return serve(host, members_,
                 {.messages = std::min(messages_on_host, settings_.messages), .duration_ns = settings_.duration_ns});
}

bool Clocks::serve_children(Wire& wire, std::span<const std::uint32_t> children) {
    if (at_once_) return serve(wire, children, limits_);
    for (const std::uint32_t& child : children)
        if (!serve(wire, {&child, 1}, limits_)) return false;
    return true;
}

// A round that is much wider than those of other pairs, or than the best of its own pair, was disturbed by other work
// on a core. The two ranks of the pair repeat it.
bool Clocks::reject_and_repeat_wide_rounds(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns) {
    double usual = 0;
    if (!find_usual_width(comm, round, deadline_ns, usual)) return false;
    if (place_.relation == ClockRelation::measured && !repeat_while_wide(comm, round, deadline_ns, usual)) return false;
    return serve_repeats(comm, deadline_ns);
}

// The usual width of this rank's rounds is its best so far, because links differ. At first it is the geometric mean of
// the other ranks' widths, which one bad round hardly changes.
bool Clocks::find_usual_width(MPI_Comm comm, const SyncRound& round, std::int64_t deadline_ns, double& usual) {
    const double width = place_.relation == ClockRelation::measured ? width_of(round, ns_per_tick_) : 0;
    const double own[2] = {width > 0 ? std::log(width) : 0, width > 0 ? 1.0 : 0.0}; // sum of logarithms, count
    double all[2] = {own[0], own[1]};
    if (!Together{comm, deadline_ns}.reduce(all, handle.SUM)) return false;
    const double others = all[1] - own[1];
    usual = narrowest_ns_;
    if (usual == 0 && others > 0) usual = std::exp((all[0] - own[0]) / others);
    return true;
}

// Repeats this rank's round. After each round it tells its master whether there is another one.
bool Clocks::repeat_while_wide(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns, double usual) {
    MpiWire verdicts{comm, verdict, deadline_ns};
    MpiWire wire{comm, clock_exchange, deadline_ns, crowded_};
    for (int repeat = 0;; ++repeat) {
        const bool again = repeat < most_repeats && usual > 0 && width_of(round, ns_per_tick_) > far_wider * usual;
        if (!verdicts.send(place_.master, again ? 1 : 0)) return false;
        if (!again) return true;
        SyncRound other = round;
        other.samples.clear();
        if (!measure(wire, place_.master, other.samples)) return false;
        const bool narrower = width_of(other, ns_per_tick_) < width_of(round, ns_per_tick_);
        if (narrower && !other.samples.empty()) std::swap(round, other);
        other.rejected = true;
        keep(std::move(other));
    }
}

// Serves the repeated rounds of the ranks whose master this one is.
bool Clocks::serve_repeats(MPI_Comm comm, std::int64_t deadline_ns) {
    MpiWire verdicts{comm, verdict, deadline_ns};
    MpiWire wire{comm, clock_exchange, deadline_ns, crowded_};
    std::vector<std::uint32_t> left = children_;
    while (!left.empty()) {
        std::vector<std::uint32_t> wanting;
        for (const std::uint32_t child : left) {
            std::uint64_t again = 0;
            if (!verdicts.receive(child, again)) return false;
            if (again != 0) wanting.push_back(child);
        }
        left = std::move(wanting);
        if (!serve_children(wire, left)) return false;
    }
    return true;
}

// Rank 0 takes its stamp between two barriers of all ranks. So the stamp lies between those that any rank takes before
// the first barrier and after the second.
bool Clocks::round_of_barriers(MPI_Comm comm, SyncRound& round, std::int64_t deadline_ns) {
    const Together all{comm, deadline_ns};
    std::array<Ticks, barriers_a_round> masters{};
    round.by_barrier = true;
    std::vector<SyncSample> samples(barriers_a_round);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i].sent = now();
        if (!all.wait_for_all()) return false;
        masters[i] = now(); // rank 0's is used
        if (!all.wait_for_all()) return false;
        samples[i].received = now();
    }
    if (!all.broadcast(masters)) return false;
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i].master = masters[i];
    if (place_.relation == ClockRelation::measured) round.samples = std::move(samples);
    return true;
}

} // namespace tactus
