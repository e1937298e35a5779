// Finds, for each event of a rank, the call that it belongs to: when the call began, where it was made, and how much
// the rank had computed until the event. One thread walks once through the records of the rank.
#pragma once

#include "postproc/lod/rank_index.hpp"
#include "postproc/replay/rank_events.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tactus {

struct CallFacts {
    // When the call began, or the unsuccessful tests before it, if the thread did nothing else. For a sent message: the
    // same of the call that completed it, and `until` is when that call ended. If `until` is not after `enter`, the
    // call did not wait for a receiver: it waited for nobody, or for other messages too.
    GlobalTime enter = 0;
    GlobalTime until = 0;    // for a received message: when its receive was posted
    GlobalTime computed = 0; // what the rank had computed until the event
    std::uint32_t place = 0; // index in RankCalls::places
    // For a sent message: the place of the call that completed it, and the flag others_too.
    std::uint32_t completion = 0;
    static constexpr std::uint32_t others_too = 1U << 31; // the call completed other sent messages, too
    [[nodiscard]] std::uint32_t completed_at() const { return completion & ~others_too; }
    [[nodiscard]] bool with_others() const { return (completion & others_too) != 0; }
};
static_assert(sizeof(CallFacts) == 32);

struct CallPlace {
    std::uint64_t address = 0;
    Function function{};
    bool operator==(const CallPlace&) const = default;
};

// A call of MPI_Win_lock or MPI_Win_unlock.
struct LockCall {
    std::uint64_t window = 0; // the window's identity
    std::uint32_t target = 0; // rank in MPI_COMM_WORLD
    bool unlocks = false;
    GlobalTime enter = 0;
    GlobalTime leave = 0;
    GlobalTime computed = 0; // what the rank had computed until `enter`
    CallPlace place;
};

struct RankCalls {
    // One item for each event, in the order of the events.
    PagedList<CallFacts> facts;
    PagedList<std::uint64_t> bytes; // how many bytes the call moves; 0 for events that take something
    PagedList<std::uint32_t> lanes; // the event's lane; empty if the rank has only one lane
    std::uint32_t only_lane = 0;    // the lane of a rank with only one
    std::uint32_t first_lane = 0;   // that of the thread that called MPI_Init
    bool with_locks = false;        // set by the caller: whether to collect `locks`
    std::vector<LockCall> locks;    // of all threads, by time
    std::vector<CallPlace> places;
    // The thread that called MPI_Init: when it left MPI_Init, when it entered MPI_Finalize, and how long it computed
    // (was outside of MPI) in between.
    GlobalTime begin = 0;
    GlobalTime end = 0;
    GlobalTime computed = 0;
    Function ends_in = Function::Finalize; // end_of_run()
    // Sum over all threads of the time from the thread's first call to its last (or between such a begin and end).
    GlobalTime threads = 0;

    [[nodiscard]] std::uint32_t lane_of(std::size_t event) const { return lanes.empty() ? only_lane : lanes[event]; }
    void pass(std::size_t event) const {
        facts.pass(event);
        bytes.pass(event);
        if (!lanes.empty()) lanes.pass(event);
    }
};

// Must be called before the events are stamped, while the stamp of a received message still is the tick at which its
// receive was posted (rank_events.hpp). Keeps that tick in `until`. Returns false if there is no room.
bool keep_posts(const RankEvents& rank, const PagingTo& paging, RankCalls& calls);

// Finds all other facts, and stamps the events by the clocks of their lanes. Asks `stop` now and then; when `stop`
// returns true, it returns early and the facts must not be used.
void find_calls(RankEvents& rank, const RankFile& file, const ClockOfLane& clock, RankCalls& calls,
                const std::function<bool()>& stop = {});

} // namespace tactus
