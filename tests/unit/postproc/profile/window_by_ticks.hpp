// What a profile of a window must be, found by looking at every tick of every rank. All in ticks, which are
// nanoseconds.
#pragma once

#include "postproc/profile/profile.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tactus {

struct CallSums {
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    std::int64_t time = 0;
    std::int64_t sum = 0;
    std::int64_t shortest = 0;
    std::int64_t longest = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    bool operator==(const CallSums&) const = default;
};
struct RegionSums {
    std::uint64_t count = 0;
    std::int64_t time = 0;
    std::int64_t own = 0;
    std::int64_t mpi = 0;
    std::int64_t sum = 0;
    std::int64_t longest = 0;
    bool operator==(const RegionSums&) const = default;
};
struct ChannelSums {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    bool operator==(const ChannelSums&) const = default;
};
struct RankSums {
    std::uint64_t lanes = 0;
    std::int64_t wall = 0;
    std::int64_t measuring = 0;
    std::int64_t mpi = 0;
    bool operator==(const RankSums&) const = default;
};
struct CounterTotals {
    std::uint64_t values = 0;
    double sum = 0;
    double max = 0;
    bool operator==(const CounterTotals&) const = default;
};
struct AllSums {
    std::map<std::pair<Function, std::uint64_t>, CallSums> calls; // by function and place
    std::map<std::string, RegionSums> regions;
    std::map<std::pair<std::uint32_t, std::uint32_t>, ChannelSums> messages; // by sender and receiver
    std::vector<RankSums> ranks;
    CounterTotals counter;
    std::uint64_t comments = 0;
};

AllSums sums_of(const Profile& profile);
// The sums of `made`, which was written as `trace`. The only calls that may move something are MPI_Send, MPI_Recv and
// MPI_Allreduce; all are in MPI_COMM_WORLD.
AllSums sums_by_looking(const std::vector<MadeRank>& made, const Trace& trace, const Window& window);

} // namespace tactus
