// The profile of a trace: how often, how long and how much, by function, call place, rank, pair of ranks and
// collective. Aggregation only, no output. Times are seconds by each rank's own clock; nothing here compares clocks of
// two ranks.
//
// A thread's time is its own: the time of a rank in MPI is the sum over its lanes, and the time it had is its wall time
// times its lanes. A call that the application makes in a callback counts like any other; its time is its own, and not
// that of the call around it.
//
// Of a window of the run:
//   times          what of them lies in the window: of calls, regions, the wall time, and what is left of it
//   counts         calls, failed calls, bytes, messages, comments, values of counters and regions go to the window in
//                  which they end; so windows side by side add up to the whole
//   lengths        minimum, maximum and average are of those that are counted, as long as they are; what does not end
//                  in the window has a time there, and a count of 0
//   unsuccessful   tests in a row, of which only the sum is known: their time is spread evenly from the first to the
//                  last
//   threads        count where they ran, from the first enter to the last leave, with calls or between two of them
// Without a window it is that of everything.
#pragma once

#include "postproc/profile/places.hpp"
#include "postproc/profile/regions.hpp"
#include "postproc/profile/window.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tactus {

struct CallStats {
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    double time_s = 0; // in the window
    double sum_s = 0;  // of the calls counted, as long as they are; so the next two
    double min_s = std::numeric_limits<double>::infinity();
    double max_s = 0;
    std::uint64_t sent_bytes = 0; // by the rule in postproc/profile/moved.hpp
    std::uint64_t received_bytes = 0;

    [[nodiscard]] double avg_s() const { return calls == 0 ? 0 : sum_s / static_cast<double>(calls); }
    [[nodiscard]] std::uint64_t bytes() const { return sent_bytes + received_bytes; }
    void add(const CallStats& more);
};

struct FunctionProfile {
    Function function{};
    std::string name;
    CallStats stats;
};

struct PlaceProfile {
    Function function{};
    std::string name;
    Place place;
    CallStats stats;
};

struct RankProfile {
    std::uint32_t rank = 0;
    std::string host;
    std::uint64_t lanes = 0;
    double wall_s = 0;      // from the first enter to the last leave, in the window
    double measuring_s = 0; // in rounds of clock measurements, which are neither the application's nor the MPI's
    CallStats mpi;

    [[nodiscard]] double total_s() const { return wall_s * static_cast<double>(lanes); }
    [[nodiscard]] double other_s() const { return std::max(0.0, total_s() - mpi.time_s - measuring_s); }
    [[nodiscard]] double mpi_share() const { return total_s() > 0 ? mpi.time_s / total_s() : 0; }
};

// How evenly a time is spread over the ranks: mean / max is 1 when all have the same.
struct Balance {
    double mean_s = 0;
    double max_s = 0;
    std::uint32_t max_rank = 0;
    [[nodiscard]] double ratio() const { return max_s > 0 ? mean_s / max_s : 1; }
};

// Messages between two ranks of MPI_COMM_WORLD, counted where they were sent.
struct Traffic {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

struct CollectiveProfile {
    Function function{};
    std::string name;
    CallStats stats;
    Balance time; // over the ranks
};

struct Profile {
    std::vector<FunctionProfile> functions;     // most time first
    std::vector<PlaceProfile> places;           // most time first
    std::vector<RankProfile> ranks;             // in rank order
    std::vector<Traffic> messages;              // by sender, then receiver
    std::vector<CollectiveProfile> collectives; // most time first
    std::vector<RegionProfile> regions;         // most time first
    std::vector<CounterProfile> counters;       // by name
    std::uint64_t comments = 0;
    Balance mpi;   // time in MPI
    Balance other; // time outside
    CallStats all;
    double wall_s = 0;             // of the rank that took longest
    double total_s = 0;            // all ranks and lanes
    std::uint64_t unplaced = 0;    // messages whose receiver is no rank of MPI_COMM_WORLD
    std::vector<Error> unreadable; // blocks that were passed over

    [[nodiscard]] double mpi_share() const { return total_s > 0 ? all.time_s / total_s : 0; }
};

Profile make_profile(const Trace& trace, const Window& window = {});

} // namespace tactus
