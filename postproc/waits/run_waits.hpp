// What a finished trace says of waiting, of all its ranks together. Pure but for ideal_time().
#pragma once

#include "postproc/profile/places.hpp"
#include "trace/rank_file.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tactus {

struct WaitNames {
    const char* key;     // in --json
    const char* name;    // in tables
    const char* because; // "rank 0 waits in MPI_Recv at a.c:1 for rank 1, which ..."
};
inline constexpr std::array<WaitNames, 11> wait_names = {{
    {"late_sender", "late sender", "sends late"},
    {"wrong_order", "messages in wrong order", "sent others first that are received later"},
    {"late_receiver", "late receiver", "receives late"},
    {"barrier", "wait at barrier", "comes last"},
    {"all_to_all", "wait at all-to-all", "comes last"},
    {"early_reduce", "early reduce", "comes last"},
    {"late_broadcast", "late broadcast", "is the root and comes late"},
    {"prefix", "wait at scan", "is in front of it and comes late"},
    {"neighbors", "wait for neighbors", "comes late"},
    {"fence", "wait at fence", "comes last"},
    {"late_complete", "late complete", "ends its access late"},
}};

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
};

struct WaitingRank {
    std::uint32_t rank = 0;
    double seconds = 0;    // between MPI_Init and MPI_Finalize
    double computed_s = 0; // of these, outside of MPI
    double waited_s = 0;
    double caused_s = 0; // waits of others
};

// Parallel efficiency and its three factors (POP, https://pop-coe.eu/node/69): 1 is best.
struct Efficiency {
    double load_balance = 1;  // mean of what the ranks computed, of what the busiest did
    double serialisation = 1; // that, of the time that the run would take on an ideal network
    double transfer = 1;      // and that, of the time it took
    [[nodiscard]] double parallel() const { return load_balance * serialisation * transfer; }
};

struct RunWaits {
    std::vector<WaitGroup> groups;        // most time first
    std::vector<WaitingRank> ranks;       // by rank
    double total_s = 0;                   // of all ranks, between MPI_Init and MPI_Finalize
    double others_s = 0;                  // of waits that a rank had no room to keep apart
    std::optional<Efficiency> efficiency; // none: not asked for, or there was no room
};

// Nothing of a trace that was not finished. `with_efficiency`: replays it, too.
std::optional<RunWaits> waits_of(const Trace& trace, bool with_efficiency);

} // namespace tactus
