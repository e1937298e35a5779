// The waits that a finished trace stores: who waited for whom, where, and for how long. Times are in units of global
// time.
#pragma once

#include "base/ticks.hpp"
#include "trace/function.hpp"
#include "trace/time_map.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

enum class WaitKind : std::uint8_t {
    late_sender,
    wrong_order,
    late_receiver,
    barrier,
    all_to_all,
    early_reduce,
    late_broadcast,
    prefix,
    neighbors,
    fence,
    late_complete,
    lock,     // not stored, but found when the run is replayed
    finalize, // not stored, but computed from the ends of the ranks
};

// All waits of one kind of one rank for another in which both were at the same functions and call places.
struct WaitRow {
    WaitKind kind{};
    std::uint32_t victim = 0; // ranks of MPI_COMM_WORLD
    std::uint32_t causer = 0;
    Function victim_function{};
    Function causer_function{};
    std::uint64_t victim_place = 0; // addresses, each in its own rank's process; 0: not known
    std::uint64_t causer_place = 0;
    std::uint64_t count = 0;
    GlobalTime total = 0;
    GlobalTime longest = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("kind", self.kind);
        field("victim", self.victim);
        field("causer", self.causer);
        field("victim_function", self.victim_function);
        field("causer_function", self.causer_function);
        field("victim_place", self.victim_place);
        field("causer_place", self.causer_place);
        field("count", self.count);
        field("total", self.total);
        field("longest", self.longest);
    }
};

// The waits of one rank, stored in its own file.
struct RankWaits {
    // From MPI_Init to MPI_Finalize, in the thread that called them.
    GlobalTime begin = 0;
    GlobalTime end = 0;
    GlobalTime computed = 0;   // time outside of MPI
    GlobalTime threads = 0;    // from the first call of each thread to its last, summed over the threads
    std::vector<WaitRow> rows; // those of which the rank is the victim, or the late receiver; most time first
    GlobalTime others = 0;     // time of the rows that are left out because there are too many
    static constexpr void fields(auto& self, auto&& field) {
        field("begin", self.begin);
        field("end", self.end);
        field("computed", self.computed);
        field("threads", self.threads);
        field("rows", self.rows);
        field("others", self.others);
    }
};

} // namespace tactus
