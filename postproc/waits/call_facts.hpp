// Of what calls the events of a rank are: when they began, where they were made, and what the rank computed until then.
// By one walk through its records. One thread.
#pragma once

#include "postproc/lod/rank_index.hpp"
#include "postproc/replay/rank_events.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tactus {

struct CallFacts {
    // When the call began; of a message sent, the one that completed it, and `until` is when that left. Not after
    // `enter`: it waited for nobody, or for other messages too.
    GlobalTime enter = 0;
    GlobalTime until = 0;         // of a message received: when it was posted
    GlobalTime computed = 0;      // what the rank computed until the event
    std::uint32_t place = 0;      // in RankCalls::places
    std::uint32_t completion = 0; // of a message sent: the place of the call that completed it, and others_too
    static constexpr std::uint32_t others_too = 1U << 31; // it completed other messages sent
    [[nodiscard]] std::uint32_t completed_at() const { return completion & ~others_too; }
    [[nodiscard]] bool with_others() const { return (completion & others_too) != 0; }
};
static_assert(sizeof(CallFacts) == 32);

struct CallPlace {
    std::uint64_t address = 0;
    Function function{};
    bool operator==(const CallPlace&) const = default;
};

// MPI_Win_lock or MPI_Win_unlock.
struct LockCall {
    std::uint64_t window = 0; // its identity
    std::uint32_t target = 0; // rank in MPI_COMM_WORLD
    bool unlocks = false;
    GlobalTime enter = 0;
    GlobalTime leave = 0;
    GlobalTime computed = 0; // until then
    CallPlace place;
};

struct RankCalls {
    // Of each event, in their order:
    PagedList<CallFacts> facts;
    PagedList<std::uint64_t> bytes; // that the call moves; of what is taken 0
    PagedList<std::uint32_t> lanes; // of ranks with several
    std::uint32_t only_lane = 0;    // of others
    bool with_locks = false;        // somebody wants to know:
    std::vector<LockCall> locks;    // of all threads, by time
    std::vector<CallPlace> places;
    // Of the thread that called MPI_Init: from there until MPI_Finalize, and what it computed, outside of MPI.
    GlobalTime begin = 0;
    GlobalTime end = 0;
    GlobalTime computed = 0;
    GlobalTime threads = 0; // from the first call of each thread to its last, or the same; all together

    [[nodiscard]] std::uint32_t lane_of(std::size_t event) const { return lanes.empty() ? only_lane : lanes[event]; }
    void pass(std::size_t event) const {
        facts.pass(event);
        bytes.pass(event);
        if (!lanes.empty()) lanes.pass(event);
    }
};

// While the stamps of messages received say when they were posted (rank_events.hpp): keeps that, as ticks, in `until`.
// False: there is no room.
bool keep_posts(const RankEvents& rank, const PagingTo& paging, RankCalls& calls);

// All the rest, and the events' stamps, by the clocks of their lanes. `stop` is asked now and then; what is known then
// means nothing.
void find_calls(RankEvents& rank, const RankFile& file, const ClockOfLane& clock, RankCalls& calls,
                const std::function<bool()>& stop = {});

} // namespace tactus
