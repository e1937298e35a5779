// What was measured of a rank's clock, as it came; trace/time_map.hpp is what is made of it.
#pragma once

#include "base/ticks.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tactus {

// A message there and one back: the rank's clock when it sent, its master's in between, its own when the answer was
// there.
struct SyncSample {
    Ticks sent = 0;
    Ticks master = 0;
    Ticks received = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("sent", self.sent);
        field("master", self.master);
        field("received", self.received);
    }
};

enum class RoundReason : std::uint8_t { init, finalize, timesync, period };
inline constexpr auto round_reason_names = std::to_array<const char*>({"init", "finalize", "VT_timesync", "period"});

// One after the other with one master: at the start, at the end, or in between.
struct SyncRound {
    RoundReason reason{};
    std::uint32_t number = 0; // from 0, in the order of this rank; threads may be in rounds of two kinds at once
    std::uint32_t master = 0; // rank in MPI_COMM_WORLD
    bool rejected = false;    // much wider than its peers, and repeated
    bool by_barrier = false;
    bool crowded = false; // a host of the two had more ranks than cores: an answer may have waited for one
    std::vector<SyncSample> samples;
    static constexpr void fields(auto& self, auto&& field) {
        field("reason", self.reason);
        field("number", self.number);
        field("master", self.master);
        field("rejected", self.rejected);
        field("by_barrier", self.by_barrier);
        field("samples", self.samples);
        field("crowded", self.crowded);
    }
};

enum class ClockRelation : std::uint8_t {
    reference, // it is the clock of the run
    measured,  // against `master`
    shared     // it is its master's: on the same host, or so VT_SYNCED_HOST or VT_SYNCED_CLUSTER said
};
inline constexpr auto clock_relation_names = std::to_array<const char*>({"reference", "measured", "shared"});

// Whose clock a rank's is compared with.
struct ClockPlace {
    ClockRelation relation{};
    std::uint32_t master = 0; // rank in MPI_COMM_WORLD
    std::uint32_t level = 0;  // exchanges between it and rank 0
    static constexpr void fields(auto& self, auto&& field) {
        field("relation", self.relation);
        field("master", self.master);
        field("level", self.level);
    }
};

} // namespace tactus
