// What a finished trace says of waiting, of all its ranks together.
#pragma once

#include "base/in_step.hpp"
#include "postproc/profile/places.hpp"
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
    const char* because; // "rank 0 waits in MPI_Recv at a.c:1 for rank 1, which ..."
};
inline constexpr auto wait_names = std::to_array<WaitNames>({
    {WaitKind::late_sender, "late_sender", "late sender", "sends late"},
    {WaitKind::wrong_order, "wrong_order", "messages in wrong order", "sent others first that are received later"},
    {WaitKind::late_receiver, "late_receiver", "late receiver", "receives late"},
    {WaitKind::barrier, "barrier", "wait at barrier", "comes last"},
    {WaitKind::all_to_all, "all_to_all", "wait at all-to-all", "comes last"},
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

// All waits of one kind for one rank, from one place to another. Places mean the same on every rank.
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
    std::uint32_t victim = 0; // who waited most
    std::uint64_t victims = 0;
    // Of a run that was replayed:
    double indirect_s = 0;           // because the causer waited itself
    std::optional<std::size_t> root; // in RunWaits::roots: where most of it comes from
};

// All waits of one kind at one place, whoever caused them.
struct WaitPlace {
    WaitKind kind{};
    Function function{};
    Place place;
    double seconds = 0;
    std::uint32_t victim = 0; // who waited most
    std::uint64_t victims = 0;
    std::vector<std::size_t> groups; // numbers in RunWaits::groups, most time first
    std::uint64_t causers = 0;
    std::string host; // of all causers, where other ranks ran on other hosts; else empty
};

struct WaitingRank {
    std::uint32_t rank = 0;
    double seconds = 0;    // of all its threads, until the last rank came to MPI_Finalize
    double computed_s = 0; // outside of MPI, by the thread that called MPI_Init, until MPI_Finalize
    double waited_s = 0;
    double caused_s = 0; // waits of others for it
    // Of a run that was replayed:
    double root_s = 0; // waits of others that come from what it did, near or far (postproc/waits/causes.hpp)
    double path_s = 0; // that the critical path is on it
    double path_computed_s = 0;
};

// What a rank did until it came to a call, and what others waited because of it.
struct WaitRoot {
    std::uint32_t rank = 0;
    Function function{};
    Place place;
    double direct_s = 0;   // waits for just that call
    double indirect_s = 0; // further on, for those that waited for it
    [[nodiscard]] double seconds() const { return direct_s + indirect_s; }
};

// Parallel efficiency and its three factors (POP, https://pop-coe.eu/node/69): 1 is best.
struct Efficiency {
    double load_balance = 1;  // mean of what the ranks computed, of what the busiest did
    double serialization = 1; // that, of the time that the run would take on an ideal network
    double transfer = 1;      // and that, of the time it took
    [[nodiscard]] double parallel() const { return load_balance * serialization * transfer; }
};

struct RunWaits {
    std::vector<WaitGroup> groups;  // most time first
    std::vector<WaitPlace> places;  // most time first
    std::vector<WaitingRank> ranks; // by rank
    double total_s = 0;             // of all ranks and their threads
    double waited_s = 0;            // of it, in all
    double others_s = 0;            // of that, in waits that a rank had no room to keep apart
    double wall_s = 0;              // from the first MPI_Init that returned to the last MPI_Finalize
    bool replayed = false;
    // Of a run that was replayed:
    std::optional<Efficiency> efficiency;
    std::string no_efficiency;       // why there is none
    std::vector<WaitRoot> roots;     // most time first
    double path_s = 0;               // the critical path, from where the first rank on it left MPI_Init
    std::uint64_t path_changes = 0;  // of the critical path, from a rank to another
    std::vector<PathPiece> path;     // in order of time; of a long one the last million pieces
    std::optional<double> network_s; // how long it would take on the network that was asked for

    [[nodiscard]] double waited_share() const { return total_s > 0 ? waited_s / total_s : 0; }
};

// Of all ranks, in all calls of a function, in seconds.
double waited_in(const RunWaits& waits, Function function);

struct Replaying {
    bool wanted = true;             // takes time, some 100 bytes a call in the trace's folder, 64 a wait in memory
    std::optional<Network> network; // asked for
};

// Nothing of a trace that was not finished. One thread.
std::optional<RunWaits> waits_of(const Trace& trace, const Replaying& replaying);

} // namespace tactus
