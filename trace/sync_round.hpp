// The measurements of a rank's clock as they were taken. trace/time_map.hpp holds what is made of them.
#pragma once

#include "base/ticks.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tactus {

// A message to the master and its answer: the rank's clock when it sent, the master's clock in between, and the rank's
// clock when the answer had arrived.
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

// Samples that were taken one after the other with one master: at the start of the run, at its end, or in between.
struct SyncRound {
    RoundReason reason{};
    std::uint32_t number = 0; // from 0, in this rank's order; threads may be in rounds of two kinds at the same time
    std::uint32_t master = 0; // rank in MPI_COMM_WORLD
    bool rejected = false;    // much wider than its peers, so it was repeated
    bool by_barrier = false;
    bool crowded = false; // one of the two hosts had more ranks than cores: an answer may have waited for a core
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
    reference, // the clock of the run
    measured,  // measured against `master`
    shared     // the same clock as its master's: on the same host, or by VT_SYNCED_HOST or VT_SYNCED_CLUSTER
};
inline constexpr auto clock_relation_names = std::to_array<const char*>({"reference", "measured", "shared"});

// The rank whose clock a rank's clock is compared with.
struct ClockPlace {
    ClockRelation relation{};
    std::uint32_t master = 0; // rank in MPI_COMM_WORLD
    std::uint32_t level = 0;  // number of exchanges on the way from it to rank 0
    static constexpr void fields(auto& self, auto&& field) {
        field("relation", self.relation);
        field("master", self.master);
        field("level", self.level);
    }
};

} // namespace tactus
