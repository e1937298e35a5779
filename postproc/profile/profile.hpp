// The profile of a trace: counts, times and bytes by function, call place, rank, pair of ranks and collective. It only
// adds up, and prints nothing. Times are seconds by each rank's own clock.
//
// Times are added up over threads: a rank's time in MPI is the sum over its lanes, and its total time is the sum of
// what each of its threads lived, from its first call to its last. MPI_Finalize lasts until the last rank came to it,
// where the clocks of the ranks tell when that was: the trace of a rank ends when its own MPI_Finalize begins. A call
// that the application makes in a callback counts like any other, and its time does not belong to the call around it.
//
// The profile of a window of the run follows these rules. Without a window, it is that of the whole run.
//   times          Of calls, regions, wall time and the rest, the part that lies in the window counts.
//   counts         Calls, failed calls, bytes, messages, comments, values of counters and regions count in the window
//   in
//                  which they end. So adjacent windows add up to the whole.
//   lengths        Minimum, maximum and average are over the whole lengths of what is counted. What does not end in the
//                  window has a time there, and a count of 0.
//   repeated       Of equal calls in a row only the sum is known. Their time is spread evenly from first to last.
//   threads        A thread counts in the windows in which it ran, from its first enter to its last leave, also between
//                  two calls.
#pragma once

#include "postproc/profile/core_time.hpp"
#include "postproc/profile/places.hpp"
#include "postproc/profile/regions.hpp"
#include "postproc/profile/samples.hpp"
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
    double sum_s = 0;  // whole lengths of the calls counted, as are the next two
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
    double threads_s = 0;   // what each thread lived, added up, in the window
    double measuring_s = 0; // in rounds of clock measurements, which belong neither to the application nor to the MPI
    CallStats mpi;
    RankUse use = {};         // what is known of whether its threads were on a core
    RankSamples samples = {}; // and of what they did

    [[nodiscard]] double other_s() const { return std::max(0.0, threads_s - mpi.time_s - measuring_s); }
    [[nodiscard]] double mpi_share() const { return threads_s > 0 ? mpi.time_s / threads_s : 0; }
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
    Balance time; // time in it, over the ranks
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
    Balance other; // time outside of MPI
    CallStats all;
    double wall_s = 0;             // of the rank that took longest
    double total_s = 0;            // what all threads of all ranks lived: the base of all shares
    std::uint64_t unplaced = 0;    // messages whose receiver is no rank of MPI_COMM_WORLD
    std::vector<Error> unreadable; // errors of blocks that were left out

    [[nodiscard]] double mpi_share() const { return total_s > 0 ? all.time_s / total_s : 0; }
};

// Makes the profile of a window, in so many threads (0: as many as there are cores). Blocks that cannot be read are
// left out, and their errors are in `unreadable`.
Profile make_profile(const Trace& trace, const Window& window = {}, unsigned threads = 0);

} // namespace tactus
