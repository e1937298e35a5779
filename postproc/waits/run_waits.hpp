// What a finished trace says of waiting, for all its ranks together.
#pragma once

#include "base/in_step.hpp"
#include "postproc/profile/profile.hpp"
#include "postproc/waits/causes.hpp"
#include "postproc/waits/network.hpp"
#include "trace/rank_file.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct WaitNames {
    WaitKind kind;
    const char* key;     // in --json
    const char* name;    // in tables
    const char* because; // as in "rank 0 waits in MPI_Recv at a.c:1 for rank 1, which ..."
};
inline constexpr auto wait_names = std::to_array<WaitNames>({
    {WaitKind::late_sender, "late_sender", "late sender", "sends late"},
    {WaitKind::wrong_order, "wrong_order", "messages in wrong order", "sent others first that are received later"},
    {WaitKind::late_receiver, "late_receiver", "late receiver", "receives late"},
    {WaitKind::barrier, "barrier", "wait at barrier", "comes last"},
    {WaitKind::all_to_all, "all_to_all", "wait at collective (NxN)", "comes last"},
    {WaitKind::early_reduce, "early_reduce", "early reduce", "comes last"},
    {WaitKind::late_broadcast, "late_broadcast", "late broadcast", "is the root and comes late"},
    {WaitKind::prefix, "prefix", "wait at scan", "is in front of it and comes late"},
    {WaitKind::neighbors, "neighbors", "wait for neighbors", "comes late"},
    {WaitKind::fence, "fence", "wait at fence", "comes last"},
    {WaitKind::late_complete, "late_complete", "late complete", "ends its access late"},
    {WaitKind::lock, "lock", "wait for lock", "gives the lock back late"},
    {WaitKind::finalize, "finalize", "wait at MPI_Finalize", "comes last"},
});
static_assert(in_step(wait_names, &WaitNames::kind));

// All waits of one kind that one rank caused, with the same two places. A place means the same on every rank.
struct WaitGroup {
    WaitKind kind{};
    std::uint32_t causer = 0;
    Function victim_function{};
    Function causer_function{};
    Place victim_place;
    Place causer_place;
    std::uint64_t count = 0;
    double seconds = 0;
    double longest_s = 0;
    std::uint32_t victim = 0;           // the rank that waited most
    std::vector<std::uint32_t> victims; // all ranks that waited, in ascending order
    // Known only if the run was replayed:
    double indirect_s = 0;           // because the causer waited itself
    std::optional<std::size_t> root; // index in RunWaits::roots of what most of it comes from
};

// All waits of one kind at one place, whichever rank caused them.
struct WaitPlace {
    WaitKind kind{};
    Function function{};
    Place place;
    double seconds = 0;
    std::uint32_t victim = 0; // the rank that waited most
    std::uint64_t victims = 0;
    std::vector<std::size_t> groups; // indices in RunWaits::groups, most time first
    std::uint64_t causers = 0;
    std::string host; // the host of all causers, if other ranks ran on other hosts; else empty
    // How much of that another order of receives could have saved, at most (receive_order.hpp). Known only if the run
    // was replayed.
    double fixed_order_s = 0;
};

struct WaitingRank {
    std::uint32_t rank = 0;
    double seconds = 0;    // time of all its threads, until the last rank came to MPI_Finalize
    double computed_s = 0; // outside of MPI, by the thread that called MPI_Init, until MPI_Finalize
    double waited_s = 0;
    double caused_s = 0; // how long others waited for it
    // Known only if the run was replayed:
    double root_s = 0; // waits of others whose root it is, direct and indirect (postproc/waits/causes.hpp)
    double path_s = 0; // how long the critical path is on it
    double path_computed_s = 0;
};

// A place that samples of a rank were in, before it came late.
struct RootSample {
    SampledPlace what;
    double seconds = 0;
    std::uint64_t samples = 0;
};

// What a rank did before it came to a call, and how long others waited because of it.
struct WaitRoot {
    std::uint32_t rank = 0;
    Function function{};
    Place place;
    double direct_s = 0;                  // waits for exactly that call
    double indirect_s = 0;                // waits for ranks that waited because of it
    CoreTime did = {};                    // how direct_s divides into what the rank did in that time; zeros: not known
    CoreTime peers_did = {};              // what the ranks that wait did in the same time, with the same weights
    double page_faults = 0;               // of the rank outside of MPI, in the whole run
    double major_faults = 0;              // those of them that had to read from a disk
    std::vector<RootSample> sampled = {}; // how direct_s divides by what samples were in, most time first
    std::vector<RootSample> peers = {};   // what the ranks that wait did in the same time, with the same weights
    [[nodiscard]] double seconds() const { return direct_s + indirect_s; }
};

// Parallel efficiency and its three factors (POP, https://pop-coe.eu/node/69). 1 is best.
struct Efficiency {
    double load_balance = 1;  // mean of what the ranks computed / what the busiest rank computed
    double serialization = 1; // what the busiest rank computed / time of the run on an ideal network
    double transfer = 1;      // time of the run on an ideal network / time that the run took
    [[nodiscard]] double parallel() const { return load_balance * serialization * transfer; }
};

struct RunWaits {
    std::vector<WaitGroup> groups;  // most time first
    std::vector<WaitPlace> places;  // most time first
    std::vector<WaitingRank> ranks; // by rank
    double total_s = 0;             // time of all ranks and their threads
    double waited_s = 0;            // how much of that was waiting
    double others_s = 0;            // how much of that are waits that a rank had no room to list one by one
    double wall_s = 0;              // from the first MPI_Init that returned to the last MPI_Finalize
    bool replayed = false;
    // Known only if the run was replayed:
    std::optional<Efficiency> efficiency;
    std::string no_efficiency;       // why `efficiency` is unknown
    std::vector<WaitRoot> roots;     // most time first
    double path_s = 0;               // length of the critical path, which begins where its first rank left MPI_Init
    std::uint64_t path_changes = 0;  // how often the critical path changes to another rank
    std::vector<PathPiece> path;     // in order of time; of a long path only the last million pieces
    std::optional<double> network_s; // how long the run would take on the network that was asked for

    [[nodiscard]] double waited_share() const { return total_s > 0 ? waited_s / total_s : 0; }
};

// How long all ranks waited in all calls of a function, in seconds.
double waited_in(const RunWaits& waits, Function function);

struct Replaying {
    // The replay takes time, some 100 bytes a call in the trace's folder, and 64 bytes a wait in memory.
    bool wanted = true;
    std::optional<Network> network; // a network to replay the run on
    // The profile of the whole run, which knows whether ranks had a core. nullptr: roots do not tell it.
    const Profile* profile = nullptr;
};

// Returns nothing if the trace was not finished. One thread.
std::optional<RunWaits> waits_of(const Trace& trace, const Replaying& replaying);

} // namespace tactus
